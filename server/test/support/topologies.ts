// PostgreSQL as people run it: a standby that follows a primary, and a pooler in front of a server.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findOrInstall } from '../../../scripts/test-support/install-packages.ts';
import type { Pooling } from '../../src/datastore/postgres/session.ts';
import { isThorough } from './effort.ts';
import { freePort } from './free-port.ts';
import { findServerPrograms } from './server-programs.ts';
import {
  answersQuery,
  databaseOwner,
  newFolder,
  onDatabase,
  startPostgres,
  startServer,
  type TestServer,
} from './servers.ts';

/** With session pooling a connection is one of PostgreSQL, so only a thorough run tries it. */
export const poolings: readonly Pooling[] = isThorough
  ? ['transaction', 'session']
  : ['transaction'];

export interface Pair {
  primary: TestServer;
  standby: TestServer;
}

/** A primary, and a standby that follows it. */
export async function startPair(): Promise<Pair> {
  const primary = await startPostgres();
  return { primary, standby: await startStandby(primary) };
}

export async function stopPair(pair: Pair | undefined): Promise<void> {
  await Promise.all([pair?.standby.stop(), pair?.primary.stop()]);
}

/** A copy of the primary that follows it by streaming replication, on a free port or a given one. */
export async function startStandby(primary: TestServer, at?: number): Promise<TestServer> {
  const { postgres } = findServerPrograms();
  const owner = databaseOwner();
  const folder = newFolder('petstore-standby-', owner);
  const data = join(folder.path, 'data');
  const backup = ['-D', data, '-d', primary.url, '-R', '-X', 'stream', '-c', 'fast', '-N'];
  await promisify(execFile)(join(dirname(postgres), 'pg_basebackup'), backup, {
    ...owner,
    cwd: folder.path,
  });
  const port = at ?? (await freePort());
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=400',
    'fsync=off',
  ];
  return startServer({
    command: [postgres, '-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    owner,
    folder,
    url,
    port,
    isReady: () => answersQuery(url),
    stopSignal: 'SIGINT',
    endSignal: 'SIGQUIT',
  });
}

/** What the standby still replays may cancel a statement, so both are sent until they succeed. */
export async function promote({ url }: TestServer): Promise<void> {
  const ask = (text: string) =>
    onDatabase(url, async (client) => (await client.query<{ is: boolean }>(text)).rows[0]!.is);
  const succeeds = async (text: string) => {
    while (!(await ask(text).catch(() => false))) await pause(20);
  };
  await succeeds('SELECT pg_promote(false) AS is');
  await succeeds('SELECT NOT pg_is_in_recovery() AS is');
}

/** What nodes set behind PgBouncer. With session pooling, the connections of all must fit into its pool of 20. */
export function settingsBehind(url: string, pooling: Pooling) {
  return {
    PETSTORE_DATABASE_URL: url,
    PETSTORE_DATABASE_POOLING: pooling,
    PETSTORE_DATABASE_CONNECTIONS: '6',
  };
}

/** PgBouncer with its defaults, except for where it listens, where it leads and how it pools, and for more lines. */
export async function startPgBouncer(
  target: string,
  mode: 'session' | 'transaction' | 'statement',
  more: readonly string[] = [],
): Promise<TestServer> {
  const owner = databaseOwner();
  const folder = newFolder('petstore-pgbouncer-', owner);
  const port = await freePort();
  const { port: targetPort, pathname } = new URL(target);
  const users = join(folder.path, 'users.txt');
  const file = join(folder.path, 'pgbouncer.ini');
  writeFileSync(users, '"postgres" ""\n', { mode: 0o644 });
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${targetPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    ...more,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  const url = `postgres://postgres@127.0.0.1:${port}${pathname}`;
  return startServer({
    command: [findOrInstall(['pgbouncer'], ['pgbouncer']), file],
    owner,
    folder,
    url,
    port,
    isReady: () => answersQuery(url),
    stopSignal: 'SIGINT',
    endSignal: 'SIGKILL',
  });
}
