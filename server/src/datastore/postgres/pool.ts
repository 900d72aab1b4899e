import { Socket } from 'node:net';
import pg from 'pg';
import { StorageBusy, StorageUnavailable } from '../failures.ts';
import { PostgresConnection } from './connection.ts';
import type { PrimaryServer } from './primary.ts';
import { applySettings, localSettings, type Pooling } from './session.ts';

export interface PoolSettings {
  primary: PrimaryServer;
  pooling: Pooling;
  connections: number;
  /** How long a statement waits for a lock; as long as a statement may take if absent. */
  lockMs?: number;
  /** Multiplies every timeout: 1 for requests, more for commands, which may process a whole store. */
  timeoutFactor: number;
  /** Whether a plan may read a table from end to end, as commands do. */
  mayScan?: boolean;
}

/** A connection for one user, until it is released. */
export interface Acquired {
  connection: PostgresConnection;
  /** Replaces what happens at the deadline: by default the socket is destroyed, and the user's statement fails. */
  onDeadline(act: () => void): void;
  /** Destroys the socket. What waits for the server fails. */
  destroy(): void;
  release(): void;
}

const CONNECT_MS = 1_000;
export const STATEMENT_MS = 1_400;
/** Idle connections are kept: closing them would set a timer for every use. */
const NEVER = 0;
const KEEP_ALIVE_AFTER_MS = 10_000;
const WAITING_MAX = 1_024;

/** Leases connections, each to one user at a time and only until that user's deadline. */
export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #primary: PrimaryServer;
  readonly #connections = new WeakMap<pg.ClientBase, PostgresConnection>();

  constructor(settings: PoolSettings) {
    const { primary, pooling, connections, lockMs, timeoutFactor, mayScan = false } = settings;
    this.#primary = primary;
    const statementMs = STATEMENT_MS * timeoutFactor;
    const session = { statementMs, lockMs: lockMs ?? statementMs, mayScan };
    const local = pooling === 'transaction' ? localSettings(session) : undefined;
    const connectMs = CONNECT_MS * timeoutFactor;
    this.#pool = new pg.Pool({
      Client: class extends DestroyableClient {
        constructor(config?: pg.ClientConfig) {
          super({ ...config, connectionString: primary.url });
        }
      },
      application_name: 'petstore',
      max: connections,
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: NEVER,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      onConnect: async (client) => {
        // The user of a connection learns of its end from the statement that fails. Without a listener the process
        // would end too.
        client.on('error', () => {});
        (client as DestroyableClient).heedDemotion();
        const timer = setTimeout(() => (client as DestroyableClient).destroy(), connectMs);
        try {
          const timeline = await primary.check(client);
          if (!local) await applySettings(client, session);
          const connection = new PostgresConnection(client as pg.PoolClient, { timeline, local });
          this.#connections.set(client, connection);
        } finally {
          clearTimeout(timer);
        }
      },
    });
    // A connection that breaks while it is idle leaves the pool. Without a listener the process would end.
    this.#pool.on('error', () => {});
  }

  /**
   * At the deadline, a reading of performance.now(), the socket is destroyed and the user's statement fails. Rejects if
   * no connection is free by `waitUntil`.
   */
  async acquire(deadline: number, waitUntil = deadline): Promise<Acquired> {
    if (msUntil(deadline) === 0) throw new StorageUnavailable('no time left');
    const client = await this.#takeFromPrimary(waitUntil);
    const connection = this.#connections.get(client)!;
    const destroy = () => {
      if (client instanceof DestroyableClient) client.destroy();
    };
    let atDeadline = destroy;
    const timer = setTimeout(() => atDeadline(), msUntil(deadline));
    const onDeadline = (act: () => void) => {
      atDeadline = act;
    };
    const release = () => {
      clearTimeout(timer);
      client.release(connection.isWornOut);
    };
    return { connection, onDeadline, destroy, release };
  }

  /** Leases a connection for the time of the work. */
  async use<T>(deadline: number, work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const { connection, release } = await this.acquire(deadline);
    try {
      return await work(connection);
    } finally {
      release();
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /**
   * Looks for the primary once if the server that was it cannot be reached. Connections to a server that is the primary no
   * longer are closed, however many are idle.
   */
  async #takeFromPrimary(deadline: number): Promise<pg.PoolClient> {
    this.#primary.watch();
    let hasLooked = false;
    for (;;) {
      try {
        const client = await this.#take(deadline);
        const { timeline } = this.#connections.get(client)!;
        if (timeline >= this.#primary.timeline) return client;
        client.release(true);
      } catch (err) {
        const isFinal = hasLooked || !this.#primary.isOneOfMany || err instanceof StorageBusy;
        if (isFinal || msUntil(deadline) === 0) throw err;
        hasLooked = true;
        await this.#primary.find();
      }
    }
  }

  #take(deadline: number): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      const refuse = (reason: unknown) => reject(new StorageUnavailable(reason));
      if (this.#pool.waitingCount >= WAITING_MAX) {
        return reject(new StorageBusy('too many wait for a connection'));
      }
      let isTooLate = false;
      const timer = setTimeout(() => {
        isTooLate = true;
        refuse('no connection in time');
      }, msUntil(deadline));
      this.#pool.connect((err, client) => {
        clearTimeout(timer);
        if (!client) refuse(err);
        else if (isTooLate) client.release();
        else resolve(client);
      });
    });
  }
}

interface ParameterStatus {
  parameterName: string;
  parameterValue: string;
}

/**
 * A client whose socket can be destroyed at any moment. `end()` would wait for a server that does not answer, so the
 * client gets its socket from here.
 */
class DestroyableClient extends pg.Client {
  readonly #socket: Socket;

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
  }

  /**
   * Servers report that they are in recovery, also when they begin to be. What waits for such a server fails. What is reported
   * while a connection is opened does not count: a pooler repeats what its server said long ago, maybe before a promotion.
   */
  heedDemotion(): void {
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (parameterName === 'in_hot_standby' && parameterValue === 'on') {
        this.#socket.destroy(new Error('the server is in recovery'));
      }
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** What one workspace may hold of a pool. */
export function halfOf(connections: number): number {
  return Math.max(1, Math.floor(connections / 2));
}

function msUntil(deadline: number): number {
  return Math.max(0, deadline - performance.now());
}
