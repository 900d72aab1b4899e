// Runs the parts of a migration while nodes of the previous version serve. No statement here stops a reader or writer
// for a second: one that waits for a lock, with all later transactions behind it, gives up early and tries again.

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { MigrationProgress, Part } from '../migrations.ts';

/** Below the server's deadlock_timeout of one second, so that the migration gives up before a serving node has to. */
export const LOCK_WAIT_MS = 500;
const RETRY_MS = 500;
const ATTEMPTS_MAX = 30;
/** Building an index concurrently stops no other statement while it waits, and to give up would waste the build. */
const BUILD_WAIT_MS = 30_000;
/** Rows that one batch reads. It holds the locks of the rows that it changes until it commits. */
const BATCH_ROWS = 1_000;
const INDEX_NAME = /\bINDEX CONCURRENTLY IF NOT EXISTS (\w+)/;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';

export async function runPart(
  client: pg.Client,
  part: Part,
  onProgress: (progress: MigrationProgress) => void,
): Promise<void> {
  if (part.kind === 'batches') return runBatches(client, part, onProgress);
  const { statements } = part;
  for (const [at, statement] of statements.entries()) {
    const index = INDEX_NAME.exec(statement)?.[1];
    onProgress({ what: index ? `index ${index}` : 'columns', done: at, total: statements.length });
    if (index) await buildIndex(client, index, statement);
    else await runBriefly(client, statement);
  }
}

/** Runs `attempt` again, for about half a minute, while other transactions hold the locks that it needs. */
export async function retryLockedOut<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (err) {
      const code = err instanceof pg.DatabaseError ? err.code : undefined;
      const isLockedOut = code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED;
      if (!isLockedOut || attempts >= ATTEMPTS_MAX) throw err;
      await pause(RETRY_MS);
    }
  }
}

async function runBriefly(client: pg.Client, statement: string): Promise<void> {
  await client.query(`SET lock_timeout = ${LOCK_WAIT_MS}`);
  await retryLockedOut(() => client.query(statement));
}

/**
 * From the smallest id to the largest that exists at the start; each batch is a transaction. A batch that is tried
 * again changed nothing before.
 */
async function runBatches(
  client: pg.Client,
  { table, condition, statement }: Extract<Part, { kind: 'batches' }>,
  onProgress: (progress: MigrationProgress) => void,
): Promise<void> {
  const needed = await client.query(`SELECT WHERE ${condition}`);
  if (needed.rows.length === 0) return;
  // Without statistics the planner would read whole tables for every batch.
  await client.query(`SET lock_timeout = ${LOCK_WAIT_MS};
    SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`);
  const bounds = await client.query<{ after: string | null; last: string | null }>(
    `SELECT MIN(id) - 1 AS after, MAX(id) AS last FROM ${table}`,
  );
  const { last } = bounds.rows[0]!;
  let { after } = bounds.rows[0]!;
  const first = Number(after);
  for (;;) {
    const batch = await client.query<{ end: string | null }>(
      `SELECT MAX(id) AS end FROM (
         SELECT id FROM ${table} WHERE id > $1 AND id <= $2 ORDER BY id LIMIT ${BATCH_ROWS}
       ) AS batch`,
      [after, last],
    );
    const { end } = batch.rows[0]!;
    if (end === null) break;
    const what = `rows of ${table}`;
    onProgress({ what, done: Number(after) - first, total: Number(last) - first });
    await retryLockedOut(() => client.query(statement, [after, end]));
    after = end;
  }
  await client.query('RESET enable_seqscan; RESET enable_hashjoin; RESET enable_mergejoin');
}

/** An interrupted build leaves an invalid index, which slows writes and serves no read. It is replaced. */
async function buildIndex(client: pg.Client, index: string, statement: string): Promise<void> {
  await client.query(`SET lock_timeout = ${BUILD_WAIT_MS}`);
  const { rows } = await client.query(
    'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
    [index],
  );
  if (rows.length > 0) await client.query(`DROP INDEX CONCURRENTLY ${index}`);
  await client.query(statement);
}
