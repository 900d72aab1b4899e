import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { PostgresProxy } from '../support/postgres-proxy.ts';
import { createDatabase } from '../support/servers.ts';

it('charges no address for requests that fail while the database is away', async () => {
  const proxy = await PostgresProxy.start(await createDatabase());
  const environment = { PETSTORE_DATABASE_URL: proxy.url, PETSTORE_ADDRESS_PER_MINUTE: '5' };
  const app = await testApp({ engine: 'postgres', environment });
  const anonymous = async () => {
    const { headers } = await app.call('GET', '/v1/pets', { key: null });
    return Number(headers.get('x-ratelimit-remaining'));
  };
  expect(await anonymous()).toBe(4);
  await proxy.stop();
  // Cached credentials expire after a second.
  app.clock.advance(2_000);
  for (let n = 0; n < 8; n++) {
    const answer = await app.call('GET', '/v1/pets');
    expect(answer.body).toMatchObject({ code: 'unavailable', status: 503 });
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('4');
  }
  expect(await anonymous()).toBe(3);
});

describe('a write that PostgreSQL does not answer', () => {
  let app: TestApp;
  let proxy: PostgresProxy;
  beforeAll(async () => {
    proxy = await PostgresProxy.start(await createDatabase());
    const environment = { PETSTORE_DATABASE_URL: proxy.url };
    const parts = { timeoutFactor: 3 };
    app = await testApp({ engine: 'postgres', environment, parts });
    expect((await create('Before')).status).toBe(201);
  });
  afterAll(() => proxy?.stop());

  const create = (name: string) => app.call('POST', '/v1/categories', { body: { name } });

  async function exists(name: string): Promise<boolean> {
    proxy.isSilent = false;
    let found: unknown[] = [];
    const read = async () => {
      const { status, body } = await app.call('GET', `/v1/categories?name=${name}`);
      found = body;
      return status;
    };
    // A machine that stalls may answer 503 to this as well.
    await expect.poll(read).toBe(200);
    return found.length > 0;
  }

  it('is 503 with an unknown outcome once its commit was sent', async () => {
    // The service also commits in the background.
    proxy.onlyAfter = 'Committed';
    proxy.fault = 'fall silent before the last word';
    const answer = await create('Committed');
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ code: 'unavailable', details: { outcome: 'unknown' } });
    expect(await exists('Committed')).toBe(true);
  });

  it('is 503 without it before, and has changed nothing', async () => {
    proxy.isSilent = true;
    const answer = await create('Lost');
    expect(answer.status).toBe(503);
    expect(answer.body.details).toBeUndefined();
    expect(await exists('Lost')).toBe(false);
  });
});
