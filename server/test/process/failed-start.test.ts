import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommand } from '../../src/cli/run-command.ts';
import { captureOutput } from '../support/captured-output.ts';
import { newCertificate } from '../support/certificate.ts';
import { isThorough, repeats } from '../support/effort.ts';
import { freePort } from '../support/free-port.ts';
import { startSentinel } from '../support/redis-topologies.ts';
import {
  createDatabase,
  databaseOwner,
  newFolder,
  onDatabase,
  startPostgres,
  startRedis,
  type TestServer,
} from '../support/servers.ts';
import { type Finished, petstore, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startPair, startPgBouncer, stopPair } from '../support/topologies.ts';

const output = captureOutput();
/** No server listens on this port. */
const UNREACHABLE_REDIS = 'redis://127.0.0.1:1';

const databases: [string, () => Promise<Record<string, string>>][] = [
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ PETSTORE_DATABASE_URL: await createDatabase() })],
];
const limiters: [string, () => Record<string, string>][] = [
  ['memory', () => ({})],
  ['Redis', () => ({ PETSTORE_VALKEY_URL: process.env.TEST_REDIS_URL! })],
  ['a Redis that cannot be reached', () => ({ PETSTORE_VALKEY_URL: UNREACHABLE_REDIS })],
];
const combinations = databases.flatMap(([database, databaseSettings]) =>
  limiters.map(
    ([limiter, limiterSettings]) =>
      [`${database} and ${limiter}`, databaseSettings, limiterSettings] as const,
  ),
);

function dataFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  return folder.path;
}

async function started(starting: Promise<TestServer>): Promise<TestServer> {
  const server = await starting;
  onTestFinished(() => server.stop());
  return server;
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Runs a start that must end by itself, and returns what it printed. */
async function failedStart(
  settings: Record<string, string>,
  start: (environment: Record<string, string>) => Promise<Finished> = (environment) =>
    petstore(['serve'], environment),
): Promise<string> {
  const environment = { PETSTORE_DATA_DIR: dataFolder(), PETSTORE_PORT: '0', ...settings };
  const { exitCode, stdout, stderr } = await start(environment);
  expect(exitCode).toBe(1);
  expect(stdout).not.toContain('is ready');
  expect(stderr).toMatch(/^petstore: [^\n]+\n$/);
  return stderr;
}

/** In this process a start costs a tenth. That one ends is shown where it fails last, with everything open. */
async function startHere(environment: Record<string, string>): Promise<Finished> {
  vi.stubEnv('PETSTORE_LOG_LEVEL', 'fatal');
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const exitCode = (await runCommand(['serve'])) ?? null;
  return { exitCode, ...output };
}

/** A start that fails because of what it is given. A thorough run starts a process for each. */
function refusedStart(settings: Record<string, string>): Promise<string> {
  return isThorough ? failedStart(settings) : failedStart(settings, startHere);
}

describe('a start whose port is taken ends with 1', () => {
  it.each(combinations)('on %s', async (_, database, limiter) => {
    const PETSTORE_PORT = String(await listening(createServer()));
    const line = await failedStart({ ...(await database()), ...limiter(), PETSTORE_PORT });
    expect(line).toContain('set PETSTORE_PORT');
  });
});

describe('a start that loses PostgreSQL after the migration ends with 1', () => {
  it.each([
    ['when it refuses connections', 'refuse'],
    ['when it does not answer any more', 'fall silent'],
  ] as const)('%s', async (_, fault) => {
    const database = await createDatabase();
    // A limiter that looks for its Redis again and again is the one most likely to keep a process from ending.
    const tried = limiters.slice(-repeats({ usual: 1, thorough: limiters.length }));
    for (const [, limiter] of tried) {
      const proxy = await failingAfterMigration(database, fault);
      const line = await failedStart({ PETSTORE_DATABASE_URL: proxy.url, ...limiter() });
      expect(line).toContain('storage unavailable');
      // Otherwise the migration itself would have failed.
      expect(proxy.connections()).toBeGreaterThan(1);
    }
  });
});

describe('a start whose Valkey is not what the URL says ends with 1 and names the URL to write', () => {
  const plain = async () => (await started(startRedis())).port;
  const locked = async () =>
    (await started(startRedis({ settings: ['--requirepass', 'right'] }))).port;
  const cluster = async () => {
    const settings = ['--cluster-enabled', 'yes', '--cluster-port', `${await freePort()}`];
    return (await started(startRedis({ settings }))).port;
  };
  const sentinel = async () => (await started(startSentinel(await plain()))).port;
  const replica = async () => {
    const settings = ['--replicaof', '127.0.0.1', `${await plain()}`];
    return (await started(startRedis({ settings }))).port;
  };
  const tls = () => listening(createTlsServer(newCertificate()));

  it.each([
    ['a Cluster', cluster, 'redis://127.0.0.1:', '', 'write redis+cluster://127.0.0.1:'],
    ['a Sentinel', sentinel, 'redis://127.0.0.1:', '', 'write redis+sentinel://127.0.0.1:'],
    ['a replica', replica, 'redis://127.0.0.1:', '', 'is a replica'],
    ['one server', plain, 'redis+cluster://127.0.0.1:', '', 'write redis://127.0.0.1:'],
    ['no Sentinel', plain, 'redis+sentinel://127.0.0.1:', '/main', 'write redis://127.0.0.1:'],
    ['no such master', sentinel, 'redis+sentinel://127.0.0.1:', '/main', 'know no master main'],
    ['a password', plain, 'redis://:secret@127.0.0.1:', '', 'refuses: ERR AUTH'],
    ['no password', locked, 'redis://127.0.0.1:', '', 'asks for a password'],
    ['a database', plain, 'redis://127.0.0.1:', '/99', 'DB index is out of range'],
    ['TLS', tls, 'rediss://localhost:', '', 'NODE_EXTRA_CA_CERTS'],
    ['TLS alone', tls, 'redis://localhost:', '', 'nothing but TLS: begin the URL with rediss'],
    ['no TLS', plain, 'rediss://127.0.0.1:', '', 'no TLS: begin the URL with redis'],
    ['a Sentinel without TLS', sentinel, 'rediss+sentinel://127.0.0.1:', '/main', 'has no TLS'],
  ])('%s', async (_, start, before, after, reason) => {
    const line = await refusedStart({ PETSTORE_VALKEY_URL: `${before}${await start()}${after}` });
    expect(line).toContain(reason);
    expect(line).toContain('PETSTORE_VALKEY_URL');
  });
});

describe('a start whose PostgreSQL cannot be used ends with 1 and says what to do', () => {
  const database = async () => new URL(await createDatabase());
  const standby = async () => {
    const pair = await startPair();
    onTestFinished(() => stopPair(pair));
    return pair.standby.url;
  };
  const pooler = async () =>
    (await started(startPgBouncer(await createDatabase(), 'transaction'))).url;
  const statements = async () =>
    (await started(startPgBouncer(await createDatabase(), 'statement'))).url;
  const files = newFolder('petstore-hba-', databaseOwner());
  let asking: TestServer;
  beforeAll(async () => {
    const file = join(files.path, 'hba');
    writeFileSync(file, 'host all locked 127.0.0.1/32 scram-sha-256\nhost all all all trust\n');
    asking = await startPostgres({ settings: [`hba_file=${file}`] });
    const text = "CREATE ROLE locked LOGIN PASSWORD 'right'";
    await onDatabase(asking.url, (client) => client.query(text));
  });
  afterAll(async () => {
    await asking?.stop();
    files.remove();
  });
  const as = (user: string) => async () => asking.url.replace('postgres@', user);
  const latin = async () => {
    const url = await database();
    const text = "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0";
    await onDatabase(url.href, (client) => client.query(text));
    url.pathname = 'latin';
    return url.href;
  };

  it.each([
    ['a wrong password', as('locked:wrong@'), 'password authentication failed', 'check the user'],
    ['no password', as('locked@'), 'check the user and the password', ''],
    ['a user who may not create tables', as('locked:right@'), 'the owner of the database', ''],
    ['no server', async () => 'postgres://a@127.0.0.1:1/x', '127.0.0.1:1', 'check that PostgreSQL'],
    ['an unknown host', async () => 'postgres://postgres@nowhere.invalid/x', 'nowhere.invalid', ''],
    ['a standby alone', standby, 'in recovery', ''],
    ['a pooler without its setting', pooler, 'PETSTORE_DATABASE_POOLING=transaction', ''],
    ['a pooler of single statements', statements, 'set pool_mode to session or transaction', ''],
    ['TLS refused', async () => `${await createDatabase()}?sslmode=require`, 'SSL', ''],
    ['another encoding', latin, 'UTF8', ''],
    [
      'several hosts, each with its reason',
      async () => 'postgres://postgres@127.0.0.1:1,127.0.0.1:2/x',
      '127.0.0.1:1',
      'ECONNREFUSED 127.0.0.1:2; start the primary, or promote a standby',
    ],
    [
      'several hosts, of which one refuses the password',
      async () => (await as('locked:wrong@')()).replace('/postgres', ',127.0.0.1:1/postgres'),
      'check the user and the password in PETSTORE_DATABASE_URL; 127.0.0.1:1',
      '',
    ],
  ])('%s', async (_, start, reason, other) => {
    const line = await refusedStart({ PETSTORE_DATABASE_URL: await start() });
    expect(line).toContain(reason);
    expect(line).toContain(other);
    expect(line).not.toContain('wrong');
  });
});

it('a start without Redis serves', async () => {
  const service = await startService(dataFolder(), { PETSTORE_VALKEY_URL: UNREACHABLE_REDIS });
  expect((await fetch(`${service.address}/readyz`)).status).toBe(200);
});

/** Serves the first connection, over which a start migrates, and none that follows it. */
async function failingAfterMigration(database: string, fault: 'refuse' | 'fall silent') {
  const target = new URL(database);
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    connections += 1;
    sockets.add(client.on('error', () => undefined));
    if (connections > 1) {
      if (fault === 'refuse') client.destroy();
      return;
    }
    const postgres = connect(Number(target.port), target.hostname);
    sockets.add(postgres.on('error', () => undefined));
    client.pipe(postgres).pipe(client);
  });
  const url = new URL(database);
  url.port = String(await listening(server));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { url: url.href, connections: () => connections };
}
