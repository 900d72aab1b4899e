import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { startRedis, type TestServer } from '../support/servers.ts';

const POLL = { timeout: 60_000, interval: 100 };
let redis: TestServer;
let app: TestApp;
beforeAll(async () => {
  redis = await startRedis();
  app = await testApp({ environment: { PETSTORE_VALKEY_URL: redis.url } });
});
afterAll(() => redis.stop());

async function verbose(headers: Record<string, string> = {}) {
  const response = await fetch(`${app.address}/readyz?verbose`, { headers });
  return { status: response.status, body: await response.json() };
}

describe('/readyz?verbose', () => {
  it('says what each part is like', async () => {
    // On a busy machine the store may be too slow for a moment.
    await expect.poll(async () => (await verbose()).body.status, POLL).toBe('ready');
    const { status, body } = await verbose();
    expect(status).toBe(200);
    const names = body.checks.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['database', 'limiter']));
    expect(body.checks).toContainEqual({
      name: 'limiter',
      ok: true,
      shared: true,
      topology: 'server',
      hosts: [`127.0.0.1:${redis.port} up`],
    });
  });

  it('names no host to a request that came through a proxy', async () => {
    for (const name of ['x-forwarded-for', 'forwarded']) {
      const { body } = await verbose({ [name]: '127.0.0.1' });
      expect(JSON.stringify(body)).not.toContain(`${redis.port}`);
    }
  });

  it('is degraded, and still 200, while this node limits by itself', async () => {
    await redis.kill();
    await expect.poll(async () => (await verbose()).body.status, POLL).toBe('degraded');
    const { status, body } = await verbose();
    expect(status).toBe(200);
    const limiter = body.checks.find(({ name }: { name: string }) => name === 'limiter');
    expect(limiter).toMatchObject({ ok: false, shared: false });
    expect(limiter.action).toContain('PETSTORE_VALKEY_URL');
    expect((await app.call('GET', '/readyz', { key: null })).status).toBe(200);
    await redis.restart();
    await expect.poll(async () => (await verbose()).body.status, POLL).toBe('ready');
  });

  it('leaves /readyz as it is', async () => {
    expect((await app.call('GET', '/readyz', { key: null })).text).toBe('{"status":"ready"}');
  });
});
