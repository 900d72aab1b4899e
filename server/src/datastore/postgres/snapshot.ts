import { readersOver, SNAPSHOT_IDLE_MS, type Snapshot } from '../datastore.ts';
import type { Row, Statement, Value } from '../runner.ts';
import { BEGIN_SNAPSHOT, control } from './command-batch.ts';
import type { PostgresConnection } from './connection.ts';
import { type PoolSettings, PostgresPool, STATEMENT_MS } from './pool.ts';
import { PostgresReadRunner } from './reads.ts';

/** When the socket of a snapshot that was not closed is destroyed. */
const DEADLINE_MS = 24 * 60 * 60_000;
const SELECT_1 = control('SELECT 1');

type SnapshotSettings = Omit<PoolSettings, 'connections' | 'lockMs'>;

/** Reads on a connection of its own, which is closed with the snapshot. */
export async function openSnapshot(settings: SnapshotSettings): Promise<Snapshot> {
  // The server ends a transaction that is idle for as long as a statement may take.
  const timeoutFactor = Math.max(settings.timeoutFactor, SNAPSHOT_IDLE_MS / STATEMENT_MS);
  const opened = new AsyncDisposableStack();
  try {
    const pool = new PostgresPool({ ...settings, timeoutFactor, connections: 1 });
    opened.defer(() => pool.close());
    const now = performance.now();
    const waitUntil = now + STATEMENT_MS * settings.timeoutFactor;
    const { connection, release } = await pool.acquire(now + DEADLINE_MS, waitUntil);
    opened.defer(release);
    opened.defer(() => connection.rollBack());
    // The moment is that of the first read.
    await connection.send([BEGIN_SNAPSHOT, SELECT_1]);
    const read = readersOver(new SnapshotReads(connection));
    return { read, close: () => opened.disposeAsync() };
  } catch (err) {
    await opened.disposeAsync();
    throw err;
  }
}

class SnapshotReads extends PostgresReadRunner {
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection) {
    super();
    this.#connection = connection;
  }

  async row<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.rows(statement, values))[0];
  }

  async rows<R extends Row>({ text }: Statement<R>, values: readonly Value[]) {
    return (await this.#connection.send([{ text, values }])).rows as unknown as R[];
  }
}
