import { startPostgres, startRedis } from './servers.ts';

/** Starts the servers that all test files share, before the first, and stops them after the last. */
export async function setup(): Promise<() => Promise<void>> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  process.env.TEST_POSTGRES_URL = postgres.url;
  process.env.TEST_REDIS_URL = redis.url;
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
  };
}
