import type { Sql } from 'sql-template-tag';

export type Value = string | number | null;
export type Row = readonly unknown[];

/**
 * One SQL text, with $1, $2 … for its parameters, that both engines understand. Rows come back as
 * arrays in the order of the columns. `locks` marks a SELECT whose row the transaction goes on to change.
 */
export interface Statement<_R extends Row = Row> {
  readonly text: string;
  readonly locks: boolean;
}

export function statement<R extends Row>(text: string): Statement<R> {
  return { text, locks: false };
}

export function lockingStatement<R extends Row>(text: string): Statement<R> {
  return { text, locks: true };
}

/**
 * All that a unit of work changes, as one statement: the last of its CTEs is called `told` and gives one row if
 * anything was changed. The number that the caller is told is in the column named here.
 */
export interface Settlement {
  readonly parts: string;
  readonly told: string;
}

/** The first is the id of the row that the statement locks; several of them are run in that order. */
export type SettlementValues = readonly [row: number, ...rest: Value[]];

/** What a driver offers to the SQL of this folder: on a pool, or inside one transaction. */
export interface Runner {
  readonly engine: 'sqlite' | 'postgres';
  row<R extends Row>(statement: Statement<R>, values: readonly Value[]): Promise<R | undefined>;
  rows<R extends Row>(statement: Statement<R>, values: readonly Value[]): Promise<R[]>;
  /** Runs a change and tells how many rows it touched. */
  run(statement: Statement, values: readonly Value[]): Promise<number>;
  /**
   * Where an engine gains by it: runs what may be all of a unit's changes, and keeps them at once if it is. Whoever is told a
   * number changes nothing more and does not fail afterwards.
   */
  settle?(settlement: Settlement, values: SettlementValues): Promise<number | undefined>;
}

/** Runs a query that was put together from filters. */
export function query<R extends Row>(runner: Runner, sql: Sql): Promise<R[]> {
  return runner.rows<R>({ text: sql.text, locks: false }, sql.values as Value[]);
}
