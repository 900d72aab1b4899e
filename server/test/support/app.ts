// The real app on a real socket, with its own database and a clock that the test moves.

import { copyFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { type AppOptions, startApp } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { Datastore, Transaction } from '../../src/datastore/datastore.ts';
import { databaseFileIn } from '../../src/datastore/sqlite/file.ts';
import type { Scope } from '../../src/domain/key.ts';
import type { Limits } from '../../src/domain/plan.ts';
import { createKey } from '../../src/services/keys.ts';
import { bootstrap } from '../../src/services/workspaces.ts';
import { openStore } from '../../src/stores.ts';
import { atTheEnd } from './at-the-end.ts';
import { createMigratedDatabase } from './servers.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
  text: string;
}

export interface TestApp {
  readonly address: string;
  key: string;
  clock: TestClock;
  config: Config;
  readonly server: FastifyInstance;
  /** Sends a request with the first key. A body that is not a string is sent as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
  call<T = any>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
  /** Creates a key of the first workspace, or of another. */
  addKey(scopes: readonly Scope[], workspaceId?: number): Promise<string>;
  /** Creates a workspace and returns its key. */
  addWorkspace(): Promise<string>;
  /** Writes to the database from outside, as the command line does beside a running service. */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Stops the service and starts it again on the same database. */
  restart(): Promise<void>;
  stop(options?: { isFolderKept?: boolean }): Promise<void>;
}

export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
  /** Another key than the first; null for none. */
  key?: string | null;
}

export class TestClock {
  #offset = 0;
  now(): number {
    return Date.now() + this.#offset;
  }
  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }
}

export interface TestAppOptions {
  environment?: Record<string, string>;
  /** The first workspace is on plan Enterprise with these limits; `free` leaves it on plan Free. */
  limits?: Limits | 'free';
  /** Parts of the app that this test replaces. PostgreSQL has ten times as long as in a service. */
  parts?: AppOptions;
  /** Gets the lines of the log. */
  lines?: string[];
  /** The engine of tests that are about one engine. Other tests run on the engine that TEST_ENGINE names. */
  engine?: Engine;
}

type Engine = 'sqlite' | 'postgres';

const SECRET_KEY = Buffer.alloc(32, 'test').toString('base64');
const NO_LIMITS: Limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };

/** Starts the app, and stops it after the test or the file that asks for it. The default limits are never reached. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const folder = temporaryFolder();
  const engine = options.engine ?? (process.env.TEST_ENGINE as Engine | undefined) ?? 'sqlite';
  const config = readConfig({
    PETSTORE_DATA_DIR: folder.path,
    PETSTORE_PORT: '0',
    PETSTORE_ADDRESS_PER_MINUTE: '1000000',
    ...(engine === 'postgres' ? { PETSTORE_DATABASE_URL: await createMigratedDatabase() } : {}),
    PETSTORE_SECRET_KEY: SECRET_KEY,
    // Receivers of tests are on loopback; the suite of disguised addresses does without this.
    PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
    ...options.environment,
  });
  // A copy costs less than running the migrations.
  if (engine === 'sqlite') copyFileSync(process.env.TEST_SQLITE_FILE!, databaseFileIn(folder.path));
  const clock = new TestClock();
  const key = await prepare(config, options.limits ?? NO_LIMITS);
  const { lines } = options;
  const output = { write: (line: string) => void lines?.push(line) };
  const log = pino({ level: lines ? 'info' : 'silent' }, output);
  const parts = { clock, timeoutFactor: 10, ...options.parts };
  let app = await startApp(config, log, parts);
  // A store of its own, beside that of the running app. It stays open: opening one costs more than a write.
  let outside: Promise<Datastore> | undefined;
  const transact: TestApp['transact'] = async (work) => {
    outside ??= openStore(config).then(({ store }) => store);
    return (await outside).transact(work);
  };
  let isStopped = false;
  const stop: TestApp['stop'] = async ({ isFolderKept = false } = {}) => {
    if (isStopped) return;
    isStopped = true;
    await (await outside)?.close();
    await app.stop();
    if (!isFolderKept) folder.remove();
  };
  atTheEnd(async () => {
    // A drain would wait for requests on them.
    app.server.server.closeIdleConnections();
    await stop();
    folder.remove();
  });
  const addKey: TestApp['addKey'] = (scopes, workspaceId = 1) =>
    transact(async (tx) => {
      const created = await createKey(tx, {
        workspaceId,
        key: { name: 'test', scopes },
        now: Date.now(),
      });
      return created.key;
    });
  const addWorkspace: TestApp['addWorkspace'] = () =>
    transact(async (tx) => {
      const name = 'another';
      const workspace = await tx.workspaces.create({
        name,
        plan: 'enterprise',
        limits: NO_LIMITS,
        createdAt: Date.now(),
      });
      const input = { name: 'test', scopes: ['read', 'write', 'manage'] as const };
      return (await createKey(tx, { workspaceId: workspace.id, key: input, now: Date.now() })).key;
    });
  const call: TestApp['call'] = async (method, path, options = {}) => {
    const used = options.key === undefined ? key : options.key;
    const isRaw = typeof options.body === 'string';
    const response = await fetch(`${app.url}${path}`, {
      method,
      headers: {
        ...(used ? { authorization: `Bearer ${used}` } : {}),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined
        ? {}
        : { body: isRaw ? (options.body as string) : JSON.stringify(options.body) }),
    });
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    const text = isStream ? await firstBlock(response) : await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const body = isJson && text !== '' ? JSON.parse(text) : text;
    return { status: response.status, headers: response.headers, body, text };
  };
  const restart = async () => {
    await app.stop();
    app = await startApp(config, log, parts);
  };
  return {
    get address() {
      return app.url;
    },
    get server() {
      return app.server;
    },
    key,
    clock,
    config,
    call,
    addKey,
    addWorkspace,
    transact,
    restart,
    stop,
  };
}

/** What a stream sends first; then the connection is closed. */
async function firstBlock(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return value ? new TextDecoder().decode(value) : '';
}

async function prepare(config: Config, limits: Limits | 'free'): Promise<string> {
  const { store } = await openStore(config);
  const key = await bootstrap(store, { keyText: undefined, now: Date.now() });
  if (limits !== 'free') {
    await store.transact(async (tx) => {
      const workspace = await tx.workspaces.findAndLock(1);
      await tx.workspaces.update({ ...workspace!, plan: 'enterprise', limits });
    });
  }
  await store.close();
  return key!;
}
