import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

/** How many requests without a key the address that the service sees has left. */
async function remaining(app: TestApp, forwarded: string): Promise<number> {
  const headers = { 'x-forwarded-for': forwarded };
  const answer = await app.call('GET', '/v1/pets', { key: null, headers });
  return Number(answer.headers.get('x-ratelimit-remaining'));
}

describe('X-Forwarded-For', () => {
  it('is ignored by default: naming another address gives no fresh limit', async () => {
    const app = await testApp();
    const first = await remaining(app, '192.0.2.1');
    expect(await remaining(app, '192.0.2.2')).toBe(first - 1);
    expect(await remaining(app, '2001:db8::1, 192.0.2.3')).toBe(first - 2);
  });

  describe('from a proxy that is trusted', () => {
    let app: TestApp;
    beforeAll(async () => {
      const PETSTORE_TRUST_PROXY = '127.0.0.1, ::ffff:10.0.0.0/104, fd00::/8';
      app = await testApp({ environment: { PETSTORE_TRUST_PROXY } });
    });

    it('names the client', async () => {
      const first = await remaining(app, '192.0.2.1');
      expect(await remaining(app, '192.0.2.2')).toBe(first);
      expect(await remaining(app, '192.0.2.1')).toBe(first - 1);
    });

    it('is believed from the right, up to the first address that is no proxy of ours', async () => {
      const first = await remaining(app, '198.51.100.1');
      expect(await remaining(app, '203.0.113.9, 198.51.100.1')).toBe(first - 1);
      expect(await remaining(app, '203.0.113.9, 198.51.100.1, 10.1.2.3')).toBe(first - 2);
    });

    it('passes over proxies of ours that are written with a port or in their IPv6 form', async () => {
      const first = await remaining(app, '198.51.100.2');
      for (const [nth, proxy] of ['10.1.2.3:4711', '::ffff:10.1.2.3', '[fd00::1]:443'].entries()) {
        expect(await remaining(app, `198.51.100.2:1234, ${proxy}`)).toBe(first - 1 - nth);
      }
      const other = await remaining(app, '198.51.100.3, 11.1.2.3:4711');
      expect(await remaining(app, '198.51.100.4, 11.1.2.3')).toBe(other - 1);
      expect(await remaining(app, '198.51.100.4, unknown')).toBe(
        (await remaining(app, 'unknown')) + 1,
      );
    });

    it('counts IPv6 clients by their network', async () => {
      const first = await remaining(app, '2001:db8:0:1::1');
      expect(await remaining(app, '2001:db8:0:1:ffff::2')).toBe(first - 1);
      expect(await remaining(app, '2001:db8:0:2::1')).toBe(first);
    });

    it('counts a client once, whatever port the proxy adds to its address', async () => {
      const first = await remaining(app, '203.0.113.7:51234');
      expect(await remaining(app, '203.0.113.7:51235')).toBe(first - 1);
      expect(await remaining(app, '203.0.113.7')).toBe(first - 2);
      const network = await remaining(app, '[2001:db8:0:7::1]:443');
      expect(await remaining(app, '[2001:db8:0:7::2]:444')).toBe(network - 1);
      expect(await remaining(app, '2001:db8:0:7::3')).toBe(network - 2);
    });
  });
});
