// What the two engines write differently. The rest of this folder asks its runner for these texts and names no engine.

import sql, { Sql } from 'sql-template-tag';
import type { Runner } from './runner.ts';

export interface Dialect {
  /** Ids as one value, so that one text serves any number of them. */
  list(ids: readonly number[]): string;
  /** A condition: the expression is one of the ids of a list. */
  isIn(expression: string, list: string): string;
  /**
   * A source of rows: those of a table with the ids of `list`, which stands before `workspace` in it. Each is found by its
   * key, whatever the query and the statistics say. The query names the workspace again.
   */
  rowsWithIds(table: string, from: { list: string; workspace: string; name: string }): string;
  /** A source of rows: the texts of a JSON list, as `each.value`. */
  elements(list: string): string;
  /** Whether it reads in the thread that serves, so that all other requests wait for each read. */
  readonly readsInThread: boolean;
  /** How many rows one step of a list examines. */
  readonly stepRowsMax: number;
  /** Follows the value of an id, the last of a comparison of several columns, so that an index serves all of them. */
  readonly asId: string;
  /** Ends a SELECT whose rows the transaction goes on to change. SQLite has one writer and locks no rows. */
  readonly forUpdate: string;
  /** The same, without the rows that others have locked. */
  readonly forUpdateSkippingLocked: string;
  /** The database's clock in epoch milliseconds; undefined where the database has none but that of the node. */
  readonly now: string | undefined;
  /**
   * Whether events are numbered when they are read. Where units commit side by side, a counter that each of them locks
   * would make them wait for each other.
   */
  readonly numbersEventsWhenRead: boolean;
  /** Returns the last number that a row of the table got. */
  lastNumber(table: string): string;
  /** Numbers new rows of the table after $1, or after its own last number if that is higher. */
  continueNumbering(table: string): readonly string[];
  /** Keeps other transactions from writing to the table. Empty where only one can write. */
  lockTable(table: string): string;
  /** Updates the statistics by which statements are planned. Empty where there are none to update. */
  analyze(table: string): string;
}

const sqlite: Dialect = {
  list: (ids) => JSON.stringify(ids),
  isIn: (expression, list) => `${expression} IN (SELECT value FROM json_each(${list}))`,
  // The left side of a CROSS JOIN is always read first. NOT INDEXED leaves the look-up by id.
  rowsWithIds: (table, { list, name }) =>
    `(SELECT value AS wanted FROM json_each(${list})) AS wanted
      CROSS JOIN ${table} ${name} NOT INDEXED ON ${name}.id = wanted`,
  elements: (list) => `json_each(${list}) AS each`,
  readsInThread: true,
  stepRowsMax: 100,
  // An index compares by a collation, and an id has none of its own.
  asId: ' COLLATE BINARY',
  forUpdate: '',
  forUpdateSkippingLocked: '',
  now: undefined,
  numbersEventsWhenRead: false,
  lastNumber: (table) => `SELECT seq FROM sqlite_sequence WHERE name = '${table}'`,
  continueNumbering: (table) => [
    `INSERT INTO sqlite_sequence (name, seq) SELECT '${table}', $1
     WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '${table}')`,
    `UPDATE sqlite_sequence SET seq = MAX(seq, $1) WHERE name = '${table}'`,
  ],
  lockTable: () => '',
  analyze: () => '',
};

const postgres: Dialect = {
  list: (ids) => `{${ids.join(',')}}`,
  isIn: (expression, list) => `${expression} = ANY (CAST(${list} AS BIGINT[]))`,
  // A query with a limit is planned by itself, and run for each id. For a list of ids, statistics by which a workspace has
  // few rows make it read all rows of the workspace. The range and the order keep it from indexes in which the id is not next.
  rowsWithIds: (table, { list, workspace, name }) =>
    `unnest(CAST(${list} AS BIGINT[])) AS wanted (wanted) CROSS JOIN LATERAL (SELECT * FROM ${table}
      WHERE workspace_id = ${workspace} AND id >= wanted AND id <= wanted ORDER BY id LIMIT 1) AS ${name}`,
  elements: (list) => `jsonb_array_elements_text(CAST(${list} AS JSONB)) AS each (value)`,
  readsInThread: false,
  // A step is a round trip.
  stepRowsMax: 1_000,
  asId: '',
  // Unlike FOR UPDATE it does not block foreign keys that refer to the row. An order or a movement of a pet therefore
  // never waits for, or deadlocks with, a transaction that changes that pet's stock.
  forUpdate: ' FOR NO KEY UPDATE',
  forUpdateSkippingLocked: ' FOR NO KEY UPDATE SKIP LOCKED',
  now: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)',
  numbersEventsWhenRead: true,
  lastNumber: (table) => `SELECT pg_sequence_last_value(${sequenceOf(table)})`,
  continueNumbering: (table) => [
    `SELECT setval(${sequenceOf(table)},
       GREATEST(CAST($1 AS BIGINT), pg_sequence_last_value(${sequenceOf(table)})))`,
  ],
  lockTable: (table) => `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`,
  analyze: (table) => `ANALYZE ${table}`,
};

export const dialects = { sqlite, postgres };

/** What `make` returns for the engine of a runner. It is made once for each engine. */
export function perEngine<T>(make: (dialect: Dialect) => T): (runner: Runner) => T {
  const made = { sqlite: make(sqlite), postgres: make(postgres) };
  return ({ engine }) => made[engine];
}

export function dialectOf({ engine }: Runner): Dialect {
  return dialects[engine];
}

/**
 * The clock that decides what several nodes must agree on: the server's on PostgreSQL, the node's own on SQLite, which has
 * none.
 */
export function databaseNow(nodeNow: number): Sql {
  return sql`shared_now(${nodeNow})`;
}

/** Those rows of a workspace in a table that have one of these ids, as a source of a query. */
export function rowsOf(
  runner: Runner,
  table: string,
  { workspaceId, ids }: { workspaceId: number; ids: readonly number[] },
): Sql {
  const { rowsWithIds, list } = dialectOf(runner);
  const texts = rowsWithIds(table, { list: '|', workspace: '|', name: 'these' }).split('|');
  return new Sql(texts, [list(ids), workspaceId].slice(0, texts.length - 1));
}

/** The sequence by which PostgreSQL numbers the rows of a table. */
function sequenceOf(table: string): string {
  return `CAST(pg_get_serial_sequence('${table}', 'id') AS regclass)`;
}
