import { Socket } from 'node:net';
import pg from 'pg';
import { StorageBusy, StorageUnavailable } from '../failures.ts';
import { PostgresConnection } from './connection.ts';

export interface PoolSettings {
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

/** For the statements that are transactions by themselves; the others say it in their BEGIN. */
const ISOLATION = '-c default_transaction_isolation=read\\ committed';
/**
 * The server keeps the plan of a prepared statement. A plan made while a table is small would scan the whole table, and
 * still do so once the table has grown. With scans off, a plan without an index seems expensive enough to be compiled, so
 * JIT is off too.
 */
const BY_INDEX = '-c enable_seqscan=off -c jit=off';
const CONNECT_MS = 1_000;
const STATEMENT_MS = 1_400;
/** Idle connections are kept: closing them would set a timer for every use. */
const NEVER = 0;
const KEEP_ALIVE_AFTER_MS = 10_000;
const WAITING_MAX = 1_024;

/** Leases connections, each to one user at a time and only until that user's deadline. */
export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>();

  constructor(url: string, { connections, lockMs, timeoutFactor, mayScan }: PoolSettings) {
    this.#pool = new pg.Pool({
      Client: DestroyableClient,
      connectionString: url,
      application_name: 'petstore',
      options: mayScan ? ISOLATION : `${ISOLATION} ${BY_INDEX}`,
      max: connections,
      connectionTimeoutMillis: CONNECT_MS * timeoutFactor,
      idleTimeoutMillis: NEVER,
      statement_timeout: STATEMENT_MS * timeoutFactor,
      lock_timeout: lockMs ?? STATEMENT_MS * timeoutFactor,
      idle_in_transaction_session_timeout: STATEMENT_MS * timeoutFactor,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    });
    // A connection that breaks while it is idle leaves the pool. Without a listener the process would end.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      this.#connections.set(client, new PostgresConnection(client));
      // The user of a connection learns of its end from the statement that fails. Without a listener the
      // process would end too.
      client.on('error', () => {});
    });
  }

  /**
   * At the deadline, a reading of performance.now(), the socket is destroyed and the user's statement fails. Rejects if
   * no connection is free by `waitUntil`.
   */
  async acquire(deadline: number, waitUntil = deadline): Promise<Acquired> {
    if (msUntil(deadline) === 0) throw new StorageUnavailable('no time left');
    const client = await this.#take(waitUntil);
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
