import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { generateApiKey } from '../../src/lib/api-key.ts';
import { count, newWorkspace } from '../operations/account/new-workspace.ts';
import { type CallOptions, type TestApp, testApp } from '../support/app.ts';
import { exchange } from '../support/raw-http.ts';
import { NINE, stopClock } from './still-clock.ts';

let app: TestApp;
let behindProxy: TestApp;
let nextAddress = 1;

beforeAll(async () => {
  const environment = { PETSTORE_ADDRESS_PER_MINUTE: '60' };
  app = await testApp({ environment });
  behindProxy = await testApp({
    environment: { ...environment, PETSTORE_TRUST_PROXY: '127.0.0.1' },
  });
});
beforeEach(() => {
  stopClock(app);
  stopClock(behindProxy);
});

/** A request as a proxy passes it on. */
function from(address: string, options: CallOptions = {}, path = '/v1/pets') {
  const headers = { ...options.headers, 'x-forwarded-for': address };
  return behindProxy.call('GET', path, { key: null, ...options, headers });
}

async function statusesFrom(addresses: readonly string[], options?: CallOptions) {
  const answers = await Promise.all(addresses.map((address) => from(address, options)));
  return answers.map(({ status }) => status);
}

function newAddress(): string {
  return `198.51.100.${nextAddress++}`;
}

describe('requests without a valid key', () => {
  it('are counted for their address, 60 a minute by default', () => {
    expect(readConfig({}).PETSTORE_ADDRESS_PER_MINUTE).toBe(60);
  });

  it('are answered 401 sixty times and 429 from then on, until the minute is over', async () => {
    const address = newAddress();
    const statuses = await statusesFrom(Array.from({ length: 100 }, () => address));
    expect([count(statuses, 401), count(statuses, 429)]).toEqual([60, 40]);
    behindProxy.clock.advance(12_345);
    const refused = await from(address);
    expect(refused.body.code).toBe('rate_limit_exceeded');
    expect(refused.body.message).toBe(
      'An address without a valid API key has 60 requests a minute; try again in 48 s.',
    );
    expect(refused.body.details).toEqual({ limit: 'minute', until: '2026-11-15T09:01:00Z' });
    expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(refused.headers.get('x-ratelimit-reset')).toBe(String(NINE / 1000 + 60));
    expect(refused.headers.get('ratelimit-policy')).toBe('"minute";q=60;w=60');
    expect(refused.headers.get('ratelimit')).toBe('"minute";r=0;t=48');
    expect(refused.headers.get('retry-after')).toBe('48');
    behindProxy.clock.advance(47_000);
    expect((await from(address)).status).toBe(429);
    behindProxy.clock.advance(1_000);
    expect((await from(address)).status).toBe(401);
  });

  it('are counted alike, whatever is wrong with them', async () => {
    const address = newAddress();
    const stranger = generateApiKey().key;
    const attempts: [CallOptions, string?][] = [
      [{}],
      [{ key: 'psk_mistyped' }],
      [{ key: stranger }],
      [{ headers: { authorization: 'Basic YTpi' } }],
      [{ key: stranger, headers: { 'x-api-key': 'psk_other' } }],
      [{}, '/v1/nowhere'],
      [{}, `/v1/pets?api_key=${stranger}`],
      [{}, '/v1/usage'],
    ];
    for (const [i, [options, path]] of attempts.entries()) {
      const { headers } = await from(address, options, path);
      expect(headers.get('x-ratelimit-remaining')).toBe(String(59 - i));
    }
  });

  it('never refuse a valid key from the same address', async () => {
    const address = newAddress();
    await statusesFrom(Array.from({ length: 70 }, () => address));
    const own = await newWorkspace(behindProxy);
    const valid = await from(address, { key: own.key });
    expect(valid.status).toBe(200);
    expect(valid.headers.get('ratelimit')).toBe('"minute";r=59;t=60, "day";r=999;t=54000');
    expect((await from(address, { headers: { 'x-api-key': own.key } })).status).toBe(200);
    expect((await from(address)).status).toBe(429);
  });

  it('with the id of a key and another secret cost its owner nothing', async () => {
    const own = await newWorkspace(behindProxy);
    const forged = own.key.slice(0, 16) + generateApiKey().key.slice(16);
    await statusesFrom(
      Array.from({ length: 150 }, () => newAddress()),
      { key: forged },
    );
    expect((await own.ask()).headers.get('x-ratelimit-remaining')).toBe('59');
  });

  it('still see the plans when their address has used up its minute', async () => {
    const address = newAddress();
    await statusesFrom(Array.from({ length: 61 }, () => address));
    const plans = await from(address, {}, '/v1/plans');
    expect(plans.status).toBe(200);
    expect(plans.headers.get('x-ratelimit-remaining')).toBe('0');
    expect((await from(address, { key: 'psk_mistyped' }, '/v1/plans')).status).toBe(429);
  });
});

describe('an address', () => {
  it('of IPv6 is its /64, however it is written', async () => {
    const network = Array.from({ length: 60 }, (_, i) => `2001:db8:0:1:${i.toString(16)}::1`);
    expect(count(await statusesFrom(network), 401)).toBe(60);
    for (const same of ['2001:db8:0:1::', '2001:0DB8::1:ffff:0:0:9', '2001:db8:0:1:1:2:3:4']) {
      expect((await from(same)).status).toBe(429);
    }
    for (const other of ['2001:db8:0:2::1', '2001:db8::1', '2001:db8:1:1::1']) {
      expect((await from(other)).status).toBe(401);
    }
  });

  it('of IPv4 is the same when it is written as IPv6', async () => {
    const address = newAddress();
    await statusesFrom(Array.from({ length: 60 }, () => address));
    expect((await from(`::ffff:${address}`)).status).toBe(429);
    expect((await from(newAddress())).status).toBe(401);
  });

  it('is what the proxy says, not what a client claims to it', async () => {
    const address = newAddress();
    const claims = Array.from({ length: 60 }, (_, i) => `203.0.113.${i}, ${address}`);
    expect(count(await statusesFrom(claims), 401)).toBe(60);
    expect((await from(`203.0.113.99, ${address}`)).status).toBe(429);
    expect((await from('203.0.113.99')).status).toBe(401);
  });

  it('is that of the connection when no proxy is trusted', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) {
      const headers = { 'x-forwarded-for': newAddress() };
      statuses.push((await app.call('GET', '/v1/pets', { key: null, headers })).status);
    }
    expect([count(statuses, 401), statuses[60]]).toEqual([60, 429]);
  });

  it('is charged for malformed requests, which are still explained', async () => {
    app.clock.advance(120_000);
    for (const left of [59, 58, 57]) {
      const { answers } = await exchange(app.address, 'hello\r\n\r\n');
      expect(answers[0]!.headers['x-ratelimit-remaining']).toBe(String(left));
    }
    for (let i = 0; i < 57; i++) await app.call('GET', '/v1/pets', { key: null });
    const { answers } = await exchange(app.address, 'hello\r\n\r\n');
    expect(answers[0]).toMatchObject({ status: 400, headers: { 'x-ratelimit-remaining': '0' } });
  });
});
