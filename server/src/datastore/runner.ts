import type { Sql } from 'sql-template-tag';

export type Value = string | number | null;
export type Row = readonly unknown[];

/**
 * One SQL text, with $1, $2 … for its parameters, that both engines understand. Rows are arrays in the order of the
 * columns. `locks` marks a SELECT whose rows the transaction goes on to change. `lockedTable` is set where the
 * statement locks one row of that table, whose id is the first value: units that want the same row wait in this process.
 */
export interface Statement<_R extends Row = Row> {
  readonly text: string;
  readonly locks: boolean;
  readonly lockedTable?: string;
}

export function statement<R extends Row>(text: string): Statement<R> {
  return { text, locks: false };
}

export function lockingStatement<R extends Row>(text: string, lockedTable?: string): Statement<R> {
  return { text, locks: true, ...(lockedTable ? { lockedTable } : {}) };
}

/** An INSERT of at most one row with an `id`. SQLite reports that id by itself, which costs less than RETURNING. */
export interface Insertion {
  readonly text: string;
  readonly returningId: Statement<readonly [id: number]>;
}

export function insertion(text: string): Insertion {
  return { text, returningId: statement(`${text} RETURNING id`) };
}

/**
 * All changes of a unit of work in one SQL statement. One of its CTEs is called `result` and has one row if
 * anything was changed; `column` names the number in that row which the caller gets.
 */
export interface SingleStatement {
  /** `condition` is empty, or more that must hold for anything to be changed: ` AND …`. */
  readonly ctes: (condition: string) => string;
  readonly column: string;
  /** The table of the row that the statement locks, where others wait for that row. */
  readonly lockedTable?: string;
}

/** A row that a unit inserts, and that must not exist before. */
export interface Guard {
  /** SQL that holds while the row does not exist. `first` is the number of its first parameter. */
  readonly condition: (first: number) => string;
  /** Of the condition. */
  readonly values: readonly Value[];
  readonly insert: { statement: Statement; values: readonly Value[] };
}

/** The first value is the id of the row that the statement locks. Statements of one group run in its order. */
export type SingleStatementValues = readonly [rowId: number, ...rest: Value[]];

/** What a driver offers to the SQL of this folder: on a pool, or inside one transaction. */
export interface Runner {
  readonly engine: 'sqlite' | 'postgres';
  row<R extends Row>(statement: Statement<R>, values: readonly Value[]): Promise<R | undefined>;
  rows<R extends Row>(statement: Statement<R>, values: readonly Value[]): Promise<R[]>;
  /** Runs a change and returns how many rows it touched. */
  run(statement: Statement, values: readonly Value[]): Promise<number>;
  /** Returns the id of the new row; undefined when no row was inserted. Absent where an engine gains nothing by it. */
  insert?(insertion: Insertion, values: readonly Value[]): Promise<number | undefined>;
  /**
   * Runs what may be all changes of the unit, and commits them at once if they are. After a defined result the
   * transaction may be committed: do not write or throw. Absent where an engine gains nothing by it.
   */
  commitSingle?(
    statement: SingleStatement,
    values: SingleStatementValues,
  ): Promise<number | undefined>;
  /**
   * Sends a change together with the next statement of the unit, or with its commit. Returns false where the
   * change must be run by itself. If a deferred change violates a constraint, the unit runs again and defers nothing.
   * Absent where an engine gains nothing by it.
   */
  defer?(statement: Statement, values: readonly Value[]): boolean;
  /**
   * Names a row that must not exist yet and that the unit inserts. Absent where an engine gains nothing by it.
   * - The insert is sent ahead of the unit's first statement.
   * - It is not sent ahead of a single statement: that checks by itself that the row does not exist.
   * - The returned function drops the insert and returns true if it was not sent. Then the caller inserts the row.
   * - If the row exists, the unit runs again. In that run, and in a unit that has begun, this returns undefined.
   */
  guard?(guard: Guard): (() => boolean) | undefined;
}

/** Reads on a pool, or inside a transaction. */
export class Reader {
  protected readonly runner: Runner;
  constructor(runner: Runner) {
    this.runner = runner;
  }
}

/** How many old rows one statement deletes at most, so that none takes longer than a statement may. */
export const DELETED_MAX = 1_000;

/** Returns the id of the new row; undefined when no row was inserted. */
export function insertRow(
  runner: Runner,
  insertion: Insertion,
  values: readonly Value[],
): Promise<number | undefined> {
  if (runner.insert) return runner.insert(insertion, values);
  return runner.row(insertion.returningId, values).then((row) => row?.[0]);
}

/** Defers a change where the driver can, and runs it otherwise. */
export async function deferOrRun(
  runner: Runner,
  statement: Statement,
  values: readonly Value[],
): Promise<void> {
  if (!runner.defer?.(statement, values)) await runner.run(statement, values);
}

/** Ids as one value, so that one text serves any number of them. */
export function idList({ engine }: Runner, ids: readonly number[]): string {
  return engine === 'postgres' ? `{${ids.join(',')}}` : JSON.stringify(ids);
}

/** Runs a query that was put together from filters. */
export function query<R extends Row>(runner: Runner, sql: Sql): Promise<R[]> {
  return runner.rows(statement<R>(sql.text), sql.values as Value[]);
}

/** Runs a SELECT that was put together, and locks its rows. */
export function queryAndLock<R extends Row>(runner: Runner, sql: Sql): Promise<R[]> {
  return runner.rows(lockingStatement<R>(sql.text), sql.values as Value[]);
}

/** Runs a change that was put together, and returns how many rows it touched. */
export function runChange(runner: Runner, sql: Sql): Promise<number> {
  return runner.run(statement(sql.text), sql.values as Value[]);
}
