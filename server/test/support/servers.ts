// Starts PostgreSQL and Redis for tests, on free ports and in temporary folders.

import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { parseValkeyUrl } from '../../src/lib/network/valkey-url.ts';
import { ValkeyClient } from '../../src/limits/valkey/valkey-client.ts';
import { endingWithParent } from './child-processes.ts';
import { freePort } from './free-port.ts';
import { findServerPrograms } from './server-programs.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Stops the server cleanly and removes its folder. */
  stop(): Promise<void>;
  /** Ends it with a signal, SIGKILL by default, and keeps its folder for `restart`. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port and folder. Stops it cleanly first if it still runs. */
  restart(): Promise<void>;
}

export interface PostgresOptions {
  /** Flushes commits to disk. A killed process loses no commit without that. */
  isDurable?: boolean;
  /** Further settings, as `name=value`. */
  settings?: readonly string[];
}

/** Long enough for a busy machine. A server that cannot start ends before. */
const START_MS = 300_000;
const MIGRATED_TEMPLATE = 'migrated';

/** Makes an empty cluster of PostgreSQL in the folder `data` of a new one. */
export function newCluster(): TemporaryFolder {
  const owner = databaseOwner();
  const folder = newFolder('petstore-postgres-', owner);
  const data = join(folder.path, 'data');
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  // A copy costs a fifth.
  const { TEST_POSTGRES_CLUSTER: made } = process.env;
  const command = made ? ['cp', '-R', made, data] : [findServerPrograms().initdb, ...init];
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit'];
  execFileSync(command[0]!, command.slice(1), { ...owner, cwd: folder.path, stdio });
  return folder;
}

export async function startPostgres(options: PostgresOptions = {}): Promise<TestServer> {
  const { postgres } = findServerPrograms();
  const owner = databaseOwner();
  const folder = newCluster();
  const data = join(folder.path, 'data');
  const port = await freePort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=400',
    `fsync=${options.isDurable ? 'on' : 'off'}`,
    ...(options.settings ?? []),
  ];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return startServer({
    command: [postgres, '-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    owner,
    folder,
    url,
    port,
    isReady: () => answersQuery(url),
    stopSignal: 'SIGINT',
    // Without the checkpoint of a clean stop, which writes files that are removed at once.
    endSignal: 'SIGQUIT',
  });
}

export async function startRedis(options: { settings?: readonly string[] } = {}) {
  const { redis } = findServerPrograms();
  const port = await freePort();
  const folder = newFolder('petstore-redis-', {});
  const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder.path, '--save', ''];
  return startServer({
    command: [redis, ...settings, ...(options.settings ?? [])],
    owner: {},
    folder,
    url: `redis://127.0.0.1:${port}`,
    port,
    isReady: () => answersPing(port),
    stopSignal: 'SIGTERM',
    endSignal: 'SIGTERM',
  });
}

/** Creates an empty database on the server that all test files share, and returns its URL. */
export function createDatabase(): Promise<string> {
  return createDatabaseFrom('template1');
}

/** Creates a database with the current schema. A copy of the template costs a fifth of running the migrations. */
export function createMigratedDatabase(): Promise<string> {
  return createDatabaseFrom(MIGRATED_TEMPLATE);
}

/** Makes the template of `createMigratedDatabase`, with `migrate` to bring it to the current schema. */
export async function createTemplate(
  server: string,
  migrate: (url: string) => Promise<void>,
): Promise<void> {
  await onDatabase(server, (client) => client.query(`CREATE DATABASE ${MIGRATED_TEMPLATE}`));
  const url = databaseUrl(server, MIGRATED_TEMPLATE);
  await migrate(url);
  await useNodeClock(url);
}

/** Lets the clock that a test moves decide what is due, as it does on SQLite. */
export function useNodeClock(url: string): Promise<unknown> {
  return replaceClock(url, 'node_now');
}

/** Lets the clock of the server decide, as in a service. */
export function useServerClock(url: string): Promise<unknown> {
  return replaceClock(url, 'CAST(extract(epoch FROM statement_timestamp()) * 1000 AS BIGINT)');
}

/** Lets the clock of the server stand still, so that a test moves it. */
export function holdServerClock(url: string, at: number): Promise<unknown> {
  return replaceClock(url, String(at));
}

function replaceClock(url: string, now: string): Promise<unknown> {
  const text = `CREATE OR REPLACE FUNCTION shared_now(node_now BIGINT) RETURNS BIGINT
    LANGUAGE sql STABLE AS 'SELECT ${now}'`;
  return onDatabase(url, (client) => client.query(text));
}

async function createDatabaseFrom(template: string): Promise<string> {
  const server = process.env.TEST_POSTGRES_URL;
  if (!server) throw new Error('TEST_POSTGRES_URL is not set: run the tests through vitest');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const statement = `CREATE DATABASE ${name} TEMPLATE ${template}`;
  await onDatabase(server, (client) => client.query(statement));
  return databaseUrl(server, name);
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = name;
  return url.href;
}

/** Runs `work` on a new connection, beside those of the service under test. */
export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Sends one command to a Redis, or a Sentinel, on a connection of its own. */
export async function onRedis(url: string, ...command: string[]): Promise<unknown> {
  const { addresses, ...settings } = parseValkeyUrl(url);
  const options = { ...settings, address: addresses[0], connectMaxMs: 60_000, onClose: () => {} };
  const client = new ValkeyClient(options);
  try {
    await client.opened;
    return await client.send(command);
  } finally {
    client.close(new Error('done'));
  }
}

interface Plan {
  command: readonly [program: string, ...args: string[]];
  owner: Owner;
  folder: TemporaryFolder;
  url: string;
  port: number;
  isReady: () => Promise<boolean>;
  /** Ends it cleanly. */
  stopSignal: NodeJS.Signals;
  /** Ends it for good. */
  endSignal: NodeJS.Signals;
}

export async function startServer(plan: Plan): Promise<TestServer> {
  let child = await launch(plan);
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return {
    url: plan.url,
    port: plan.port,
    get pid() {
      return child.pid!;
    },
    kill,
    stop: async () => {
      await kill(plan.endSignal);
      plan.folder.remove();
    },
    restart: async () => {
      await kill(plan.stopSignal);
      child = await launch(plan);
    },
  };
}

async function launch({ command, owner, folder, isReady }: Plan): Promise<ChildProcess> {
  const log = join(folder.path, 'log');
  const output = openSync(log, 'a');
  const [program, ...args] = endingWithParent(command, 'SIGQUIT');
  const stdio = ['ignore', output, output] as const;
  const child = spawn(program, args, { ...owner, cwd: folder.path, stdio: [...stdio] });
  closeSync(output);
  const giveUpAt = performance.now() + START_MS;
  while (!(await isReady())) {
    if (child.exitCode !== null || performance.now() > giveUpAt) {
      child.kill('SIGKILL');
      throw new Error(`${command[0]} did not start:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
    }
    await pause(20);
  }
  return child;
}

interface Owner {
  uid?: number;
  gid?: number;
}

/** PostgreSQL refuses to run as root. It runs as the user of its package, or as `nobody`. */
export function databaseOwner(): Owner {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const find = (name: string) => users.find((line) => line.startsWith(`${name}:`))?.split(':');
  const [, , uid, gid] = find('postgres') ?? find('nobody') ?? [];
  if (!uid || !gid) throw new Error('PostgreSQL needs a user that is not root: run as another');
  return { uid: Number(uid), gid: Number(gid) };
}

export function newFolder(prefix: string, { uid, gid }: Owner): TemporaryFolder {
  // Only the user who runs the tests may enter their folder.
  const folder = temporaryFolder(prefix, process.env.TEST_SERVERS_FOLDER ?? tmpdir());
  if (uid !== undefined && gid !== undefined) chownSync(folder.path, uid, gid);
  return folder;
}

export async function answersQuery(url: string): Promise<boolean> {
  return onDatabase(url, (client) => client.query('SELECT 1')).then(
    () => true,
    () => false,
  );
}

/** Whether a Redis answers, also one that asks for a password first. */
export function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
    socket.on('data', (data) => {
      resolve(/^(\+PONG|-NOAUTH)/.test(data.toString()));
      socket.destroy();
    });
  });
}
