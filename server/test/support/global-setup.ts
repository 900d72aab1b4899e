import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { databaseFileIn } from '../../src/datastore/sqlite/file.ts';
import { openStore } from '../../src/stores.ts';
import { createTemplate, newCluster, startPostgres, startRedis } from './servers.ts';
import { temporaryFolder } from './temporary-folder.ts';

const MEMORY = '/dev/shm';
const FILES_BYTES_MIN = 4 * 1024 ** 3;
/** Each test file on PostgreSQL makes databases, of 10 MB each. */
const SERVERS_BYTES_MIN = 8 * 1024 ** 3;

/**
 * Starts the servers that all test files share, and returns what stops them after the last file. The folders of the
 * tests lie in one, which is removed whole: a process that was killed, or is still writing, leaves something behind.
 */
export async function setup(): Promise<() => Promise<void>> {
  process.env.TEST_SERVERS_FOLDER = parentFolder(SERVERS_BYTES_MIN);
  const cluster = newCluster();
  process.env.TEST_POSTGRES_CLUSTER = join(cluster.path, 'data');
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  await createTemplate(postgres.url, async (url) => {
    const { store } = await openStore(readConfig({ PETSTORE_DATABASE_URL: url }));
    await store.close();
  });
  process.env.TEST_POSTGRES_URL = postgres.url;
  process.env.TEST_REDIS_URL = redis.url;
  const folder = temporaryFolder('petstore-tests-', parentFolder(FILES_BYTES_MIN));
  process.env.TEST_FOLDER = folder.path;
  const template = join(folder.path, 'template');
  const { store } = await openStore(readConfig({ PETSTORE_DATA_DIR: template }));
  await store.close();
  process.env.TEST_SQLITE_FILE = databaseFileIn(template);
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
    folder.remove();
    cluster.remove();
  };
}

/**
 * In memory where there is enough of it, and where programs may run from it: on a disk each commit of a test waits for a
 * flush. What a killed process leaves behind is the same.
 */
function parentFolder(bytesMin: number): string {
  if (!existsSync(MEMORY) || !existsSync('/proc/mounts')) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === MEMORY);
  const isUsable = mount?.includes(' tmpfs ') && !mount.includes('noexec');
  return isUsable && bavail * bsize > bytesMin ? MEMORY : tmpdir();
}
