import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { databaseFileIn } from '../../src/datastore/sqlite/file.ts';
import { openStore } from '../../src/stores.ts';
import { createTemplate, startPostgres, startRedis } from './servers.ts';

/**
 * Starts the servers that all test files share, and returns what stops them after the last file. The folders of the
 * tests lie in one, which is removed whole: a process that was killed, or is still writing, leaves something behind.
 */
export async function setup(): Promise<() => Promise<void>> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  await createTemplate(postgres.url, async (url) => {
    const { store } = await openStore(readConfig({ PETSTORE_DATABASE_URL: url }));
    await store.close();
  });
  process.env.TEST_POSTGRES_URL = postgres.url;
  process.env.TEST_REDIS_URL = redis.url;
  const folder = mkdtempSync(join(tmpdir(), 'petstore-tests-'));
  process.env.TEST_FOLDER = folder;
  const template = join(folder, 'template');
  const { store } = await openStore(readConfig({ PETSTORE_DATA_DIR: template }));
  await store.close();
  process.env.TEST_SQLITE_FILE = databaseFileIn(template);
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
    rmSync(folder, { recursive: true, force: true });
  };
}
