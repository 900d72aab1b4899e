import { expect, it } from 'vitest';
import { testApp } from '../support/app.ts';
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
