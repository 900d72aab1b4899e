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

type Insertion = Statement<readonly [id: number]>;

/** An INSERT of at most one row with an `id`. */
export function insertion(text: string): Insertion {
  return statement(`${text} RETURNING id`);
}

/**
 * All changes of a unit of work in one SQL statement, for an engine whose CTEs can write. One CTE is called `result` and
 * has one row if anything was changed; `column` names the number in that row which the caller gets.
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

/** Made when it is sent: an engine that runs the steps needs neither. */
export type SingleChange = () => readonly [SingleStatement, SingleStatementValues];

/** What a driver offers to the SQL of this folder: on a pool, or inside one transaction. */
export interface Runner {
  /** For dialect.ts alone. */
  readonly engine: 'sqlite' | 'postgres';
  /** How many rows a list examines; EXAMINED_MAX if absent. Tests of that bound have fewer rows. */
  readonly examinedMax?: number;
  row<R extends Row>(statement: Statement<R>, values: readonly Value[]): Promise<R | undefined>;
  /** A read outside a transaction names the workspace that it is for: no workspace can keep the others from reading. */
  rows<R extends Row>(
    statement: Statement<R>,
    values: readonly Value[],
    workspaceId?: number,
  ): Promise<R[]>;
  /** Runs a change and returns how many rows it touched. */
  run(statement: Statement, values: readonly Value[]): Promise<number>;
  /** Runs a change once for each of these values, in one round trip. Returns how many rows all of them touched. */
  runEach(statement: Statement, values: readonly (readonly Value[])[]): Promise<number>;
  /** Runs a statement once for each of these values, in one round trip. Returns the first row of each. */
  rowEach<R extends Row>(
    statement: Statement<R>,
    values: readonly (readonly Value[])[],
  ): Promise<(R | undefined)[]>;
  /** Runs a change whose result is not needed. It may travel with the next statement of the unit, or with its commit. */
  runLater(statement: Statement, values: readonly Value[]): Promise<void>;
  /**
   * Runs what may be all changes of the unit, and commits them at once if they are. After a defined result the
   * transaction may be committed: do not write or throw. An engine whose CTEs cannot write runs `steps` instead.
   */
  commitSingle(
    change: SingleChange,
    steps: () => Promise<number | undefined>,
  ): Promise<number | undefined>;
  /**
   * Names a row that must not exist yet and that the unit inserts. Returns undefined if the row may exist: then the caller
   * has to look. Otherwise, when the work is done, the caller calls the returned function. It returns whether the row is
   * still to be inserted.
   */
  guard(guard: Guard): Promise<(() => boolean) | undefined>;
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
export async function insertRow(
  runner: Runner,
  insertion: Insertion,
  values: readonly Value[],
): Promise<number | undefined> {
  return (await runner.row(insertion, values))?.[0];
}

/** Runs a query that was put together from filters, for a workspace if it is for one. */
export function query<R extends Row>(runner: Runner, sql: Sql, workspaceId?: number): Promise<R[]> {
  return runner.rows(statement<R>(sql.text), sql.values as Value[], workspaceId);
}

/** Runs a SELECT that was put together, and locks its rows. */
export function queryAndLock<R extends Row>(runner: Runner, sql: Sql): Promise<R[]> {
  return runner.rows(lockingStatement<R>(sql.text), sql.values as Value[]);
}

/** Runs a change that was put together, and returns how many rows it touched. */
export function runChange(runner: Runner, sql: Sql): Promise<number> {
  return runner.run(statement(sql.text), sql.values as Value[]);
}
