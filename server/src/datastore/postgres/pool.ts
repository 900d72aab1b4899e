import pg from 'pg';
import { StorageUnavailable } from '../failures.ts';
import { PostgresConnection } from './connection.ts';

export interface PoolSettings {
  /** How many connections one process opens at most. */
  connections: number;
  /** Told of connections that broke while nobody used them. */
  onIdleFailure: (err: Error) => void;
  /** How many times longer than a request everything may take: commands work through whole stores. */
  patience: number;
}

/** A connection for one user. */
export interface Lease {
  connection: PostgresConnection;
  release(): void;
}

const CONNECT_MS = 1_000;
const STATEMENT_MS = 1_400;
/** A connection is kept: forgetting idle ones would set a timer for every use. */
const NEVER = 0;
const KEEP_ALIVE_AFTER_MS = 10_000;
/** Whoever comes when this many are waiting is told at once to come again. */
const WAITING_MAX = 1_024;

/** Connections, each for one user at a time and only until that user's deadline. */
export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>();

  constructor(url: string, { connections, onIdleFailure, patience }: PoolSettings) {
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'petstore',
      // For the statements that are transactions by themselves; the others say it with their BEGIN.
      options: '-c default_transaction_isolation=read\\ committed',
      max: connections,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: NEVER,
      statement_timeout: STATEMENT_MS * patience,
      lock_timeout: STATEMENT_MS * patience,
      idle_in_transaction_session_timeout: STATEMENT_MS * patience,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    });
    this.#pool.on('error', onIdleFailure);
    this.#pool.on('connect', (client) => {
      this.#connections.set(client, new PostgresConnection(client));
      // Whoever uses the connection learns of its end from the statement that fails; without a
      // listener the process would end too.
      client.on('error', () => {});
    });
  }

  /** At the deadline, a moment of performance.now(), the connection is cut and its user's statement fails. */
  async lend(deadline: number): Promise<Lease> {
    if (msUntil(deadline) === 0) throw new StorageUnavailable('no time left');
    const client = await this.#acquire(deadline);
    const connection = this.#connections.get(client)!;
    const cut = setTimeout(() => cutOff(client), msUntil(deadline));
    const release = () => {
      clearTimeout(cut);
      client.release(connection.isWornOut);
    };
    return { connection, release };
  }

  /** Lends a connection for the time of the work. */
  async use<T>(deadline: number, work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const { connection, release } = await this.lend(deadline);
    try {
      return await work(connection);
    } finally {
      release();
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  #acquire(deadline: number): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      const refuse = (reason: unknown) => reject(new StorageUnavailable(reason));
      if (this.#pool.waitingCount >= WAITING_MAX) return refuse('too many wait for a connection');
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

function msUntil(deadline: number): number {
  return Math.max(0, deadline - performance.now());
}

/** A client that waits for nothing would say goodbye, and wait for the answer. */
function cutOff(client: pg.PoolClient): void {
  void client.end();
  (client as unknown as { connection: pg.Connection }).connection.stream.destroy();
}
