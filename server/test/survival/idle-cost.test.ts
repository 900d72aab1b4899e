import Database from 'better-sqlite3';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Statement } from '../../src/datastore/runner.ts';
import { SqliteRunner } from '../../src/datastore/sqlite/runner.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { onDatabase, startPostgres } from '../support/servers.ts';

const FEW = 10;
const MANY = 10_000;
const OBSERVED_MS = 5_000;
/** Timers of two runs do not fall into the same number of moments, and the first clean-up looks at 1,000 feeds at a time. */
const TOLERANCE = 1.5;

/** Workspaces with a webhook each, which has nothing to do. The first workspace is there already. */
const fill = (workspaces: number) => [
  `INSERT INTO workspaces (name, plan, created_at)
   WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${workspaces})
   SELECT 'shop', 'free', 0 FROM numbers`,
  `INSERT INTO event_heads (workspace_id, first_sequence, last_sequence)
   SELECT id, 1, 0 FROM workspaces WHERE id > 1`,
  `INSERT INTO webhooks (workspace_id, url, types, batch_max, per_second_max, is_verified, state, failures, rejections,
     cursor, revision, cursor_revision, lease_number, secret, secret_hint, created_at)
   SELECT id, 'http://127.0.0.1:9/', '*', 1, 20, 1, 1, 0, 0, 0, 1, 1, 0, '', '', 0 FROM workspaces WHERE id > 1`,
];

const observe = () => new Promise((resolve) => setTimeout(resolve, OBSERVED_MS));

/** How many statements an idle node runs, and which of them look at every workspace or webhook. */
async function idleOnSqlite(workspaces: number) {
  const app = await testApp({ engine: 'sqlite' });
  const db = new Database(`${app.config.PETSTORE_DATA_DIR}/petstore.db`);
  db.function('shared_now', { deterministic: true }, (nodeNow: unknown) => nodeNow);
  for (const text of fill(workspaces)) db.exec(text);
  const texts: string[] = [];
  const spies = (['row', 'rows', 'run'] as const).map((method) =>
    vi.spyOn(SqliteRunner.prototype, method),
  );
  onTestFinished(() => spies.forEach((spy) => void spy.mockRestore()));
  await observe();
  for (const { mock } of spies) {
    for (const [statement] of mock.calls as unknown as [Statement][]) texts.push(statement.text);
  }
  const scans = [...new Set(texts)].filter((text) => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${text.replaceAll(/\$\d+/g, '0')}`).all();
    return /SCAN (webhooks|workspaces|event_heads)(?! USING (COVERING )?INDEX webhooks_due)/.test(
      JSON.stringify(plan),
    );
  });
  db.close();
  for (const spy of spies) spy.mockRestore();
  await app.stop();
  return { statements: texts.length, scans };
}

/** How many statements an idle node runs on PostgreSQL, as the server counts them, and how many rows and pages they touch. */
async function idleOnPostgres(workspaces: number) {
  const server = await startPostgres({
    settings: ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track=all'],
  });
  onTestFinished(() => server.stop());
  const environment = { PETSTORE_DATABASE_URL: server.url };
  const app: TestApp = await testApp({ engine: 'postgres', environment });
  await onDatabase(server.url, async (client) => {
    for (const text of fill(workspaces)) await client.query(text);
    await client.query('VACUUM ANALYZE');
    await client.query('CREATE EXTENSION pg_stat_statements');
    await client.query('SELECT pg_stat_statements_reset()');
  });
  await observe();
  const { rows } = await onDatabase(server.url, (client) =>
    client.query(
      `SELECT CAST(SUM(calls) AS INTEGER) AS statements, CAST(SUM(rows) AS INTEGER) AS rows,
         CAST(SUM(shared_blks_hit + shared_blks_read) AS INTEGER) AS pages
       FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'`,
    ),
  );
  await app.stop();
  return rows[0] as { statements: number; rows: number; pages: number };
}

it('costs an idle node on SQLite as much with 10,000 workspaces that have a webhook as with 10', async () => {
  const few = await idleOnSqlite(FEW);
  const many = await idleOnSqlite(MANY);
  expect(few.statements).toBeGreaterThan(0);
  expect(many.statements).toBeLessThanOrEqual(few.statements * TOLERANCE);
  expect([...few.scans, ...many.scans]).toEqual([]);
});

it('costs an idle node on PostgreSQL as much with 10,000 workspaces that have a webhook as with 10', async () => {
  const few = await idleOnPostgres(FEW);
  const many = await idleOnPostgres(MANY);
  expect(few.statements).toBeGreaterThan(0);
  expect(many.statements).toBeLessThanOrEqual(few.statements * TOLERANCE);
  expect(many.rows).toBeLessThanOrEqual(few.rows * TOLERANCE);
  expect(many.pages).toBeLessThanOrEqual(few.pages * TOLERANCE);
});
