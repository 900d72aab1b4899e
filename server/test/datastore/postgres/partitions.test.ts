// The tables of tenants can be partitioned by workspace, without a change of code: the suite of the datastore passes on such
// a database, and no statement of a tenant looks into the partition of another.

import type pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readMigrations, sqlOf } from '../../../src/datastore/migrations.ts';
import { PostgresConnection } from '../../../src/datastore/postgres/connection.ts';
import { postgresDialect } from '../../../src/datastore/postgres/migrate.ts';
import type { Value } from '../../../src/datastore/runner.ts';
import { tables } from '../../../src/datastore/tables.ts';
import { onDatabase } from '../../support/servers.ts';
import { openPostgres } from '../engines.ts';
import { datastoreSuite } from '../suite.ts';

const PARTITIONS = 4;
/** They find the workspace of a request, or belong to no workspace. */
const DIRECTORY = ['workspaces', 'api_keys', 'bans', 'changes', 'leases', 'nodes'];

/** What runs for all workspaces at once, in jobs of the service and in commands of the operator. Each begins like this. */
const FOR_ALL: readonly string[] = [
  // Orders whose time has come.
  'WITH due AS MATERIALIZED (SELECT workspace_id, id FROM orders WHERE expires_at <= shared_now($1)',
  'SELECT o.expires_at, o.id, o.pet_id, o.workspace_id, w.state FROM (',
  // Webhooks that are due, and who delivers for them.
  'SELECT workspace_id, id FROM (SELECT workspace_id, id FROM webhooks WHERE failures',
  'UPDATE webhooks SET leased_until',
  'SELECT w.state, count(*)',
  'SELECT DISTINCT substr(secret',
  // The workspaces with rows in a table, one after the other.
  'WITH RECURSIVE steps (id, place) AS (',
  // What is old.
  'DELETE FROM webhook_attempts WHERE (workspace_id, id) IN (',
  'DELETE FROM idempotency WHERE (workspace_id, key) IN (',
  'DELETE FROM usage_days WHERE (workspace_id, day, key_id, operation_id) IN (',
  'DELETE FROM usage_minutes WHERE (workspace_id, minute) IN (',
  'DELETE FROM daily_events WHERE (workspace_id, day, name) IN (',
  'SELECT revoked_at, id, (SELECT count(*) FROM usage_days',
  // petstore server reconcile.
  'SELECT p.workspace_id, p.id, p.reserved',
  'SELECT p.workspace_id, p.id, p.quantity, p.reserved',
  'SELECT workspace_id, pet_id, id FROM (',
  // petstore server copy.
  ...tables.flatMap(({ name, allColumns }) => [
    `SELECT count(*) FROM ${name}`,
    `SELECT ${allColumns.join(', ')} FROM ${name}`,
  ]),
];

/** Every text that was sent, with the last of its values. */
const statements = new Map<string, readonly Value[]>();
let url: string;

beforeAll(() => {
  const { sendAll } = PostgresConnection.prototype;
  vi.spyOn(PostgresConnection.prototype, 'sendAll').mockImplementation(function (
    this: PostgresConnection,
    commands,
    onDone,
  ) {
    for (const { text, values } of commands) statements.set(text, values);
    return sendAll.call(this, commands, onDone);
  });
});
afterAll(() => void vi.restoreAllMocks());

async function openPartitioned() {
  const engine = await openPostgres(partitionByWorkspace);
  url ??= engine.location;
  return engine;
}

datastoreSuite('PostgreSQL partitioned by workspace', openPartitioned, { isAnotherWay: true });

it('no statement of a tenant looks into the partitions of others', async () => {
  const wide: string[] = [];
  const exempted = new Set<string>();
  await onDatabase(url, async (client) => {
    await client.query("SET enable_seqscan = off; SET plan_cache_mode = 'force_custom_plan'");
    for (const [text, values] of statements) {
      if (!/^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/.test(text)) continue;
      const beginning = FOR_ALL.find((each) => text.trim().startsWith(each));
      if (beginning) {
        exempted.add(beginning);
        continue;
      }
      const read = await tablesOf(client, text, values);
      const parts = read.filter((name) => /_p\d$/.test(name));
      const seen = Map.groupBy(parts, (name) => name.replace(/_p\d$/, ''));
      for (const [table, partitions] of seen) {
        if (new Set(partitions).size > 1) wide.push(`${table}: ${text}`);
      }
    }
  });
  expect(statements.size).toBeGreaterThan(100);
  expect(wide).toEqual([]);
  expect(
    FOR_ALL.filter((each) => !exempted.has(each)),
    'exempted, but sent by no test',
  ).toEqual([]);
});

interface PlanNode {
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

/** The tables, and of a partitioned one the partitions, that the plan of a statement looks into. */
async function tablesOf(client: pg.Client, text: string, values: readonly Value[]) {
  const explain = `EXPLAIN (FORMAT JSON) ${text}`;
  const { rows } = await client.query({ text: explain, values: [...values], rowMode: 'array' });
  const namesOf = (node: PlanNode): string[] => [
    ...(node['Relation Name'] ? [node['Relation Name']] : []),
    ...(node.Plans ?? []).flatMap(namesOf),
  ];
  return namesOf(rows[0]![0][0].Plan);
}

/** Makes the tables of tenants again, in a store that is still empty. */
async function partitionByWorkspace(location: string): Promise<void> {
  const schema = readMigrations().flatMap((migration) =>
    sqlOf(migration, postgresDialect)
      .replaceAll(/^--.*$/gm, '')
      .split(/;\s*$/m),
  );
  const made = schema.filter((text) => !DIRECTORY.includes(tableOf(text)) && text.trim() !== '');
  const names = made.filter((text) => text.trim().startsWith('CREATE TABLE')).map(tableOf);
  const partitions = names.flatMap((table) =>
    Array.from(
      { length: PARTITIONS },
      (_, at) => `CREATE TABLE ${table}_p${at} PARTITION OF ${table}
        FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${at})`,
    ),
  );
  const rewritten = made.map((text) =>
    text.trim().startsWith('CREATE TABLE') ? `${text} PARTITION BY HASH (workspace_id)` : text,
  );
  await onDatabase(location, async (client) => {
    await client.query(`DROP TABLE ${names.join(', ')} CASCADE`);
    for (const text of [...rewritten, ...partitions]) await client.query(text);
  });
}

function tableOf(text: string): string {
  return (
    /(?:CREATE TABLE|CREATE INDEX \w+ ON|CREATE UNIQUE INDEX \w+ ON) (\w+)/.exec(text)?.[1] ?? ''
  );
}
