import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/stores.ts';
import { createTemplate, startPostgres, startRedis } from './servers.ts';

/** Starts the servers that all test files share, and returns what stops them after the last file. */
export async function setup(): Promise<() => Promise<void>> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  await createTemplate(postgres.url, async (url) => {
    const { store } = await openStore(readConfig({ PETSTORE_DATABASE_URL: url }));
    await store.close();
  });
  process.env.TEST_POSTGRES_URL = postgres.url;
  process.env.TEST_REDIS_URL = redis.url;
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
  };
}
