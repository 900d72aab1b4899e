import type Database from 'better-sqlite3';
import {
  type Guard,
  type Row,
  type Runner,
  type Statement,
  statement,
  type Value,
} from '../runner.ts';
import { failureOf } from './failures.ts';

const PREPARED_MAX = 1_000;

/** Runs statements of the port on one connection. Each is prepared once. */
export class SqliteRunner implements Runner {
  readonly engine = 'sqlite';
  readonly #db: Database.Database;
  readonly #beforeEach: () => void;
  readonly #prepared = new Map<string, Prepared>();

  /** `beforeEach` is called before each statement. */
  constructor(db: Database.Database, beforeEach: () => void = () => undefined) {
    this.#db = db;
    this.#beforeEach = beforeEach;
  }

  async row<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    try {
      const { query, bind } = this.#ready(statement.text);
      return query.get(bind(values)) as R | undefined;
    } catch (err) {
      throw failureOf(err);
    }
  }

  async rows<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    try {
      const { query, bind } = this.#ready(statement.text);
      return query.all(bind(values)) as R[];
    } catch (err) {
      throw failureOf(err);
    }
  }

  async run(statement: Statement, values: readonly Value[]) {
    try {
      const { query, bind } = this.#ready(statement.text);
      return query.run(bind(values)).changes;
    } catch (err) {
      throw failureOf(err);
    }
  }

  async runLater(statement: Statement, values: readonly Value[]) {
    await this.run(statement, values);
  }

  commitSingle(_change: unknown, steps: () => Promise<number | undefined>) {
    return steps();
  }

  /** There is one writer, so a row that does not exist now is missing until the unit inserts it. */
  async guard({ condition, values }: Guard) {
    const row = await this.row(statement(`SELECT 1 WHERE ${condition(1)}`), values);
    return row && (() => true);
  }

  async runEach(statement: Statement, values: readonly (readonly Value[])[]) {
    let touched = 0;
    for (const each of values) touched += await this.run(statement, each);
    return touched;
  }

  async rowEach<R extends Row>(statement: Statement<R>, values: readonly (readonly Value[])[]) {
    const rows: (R | undefined)[] = [];
    for (const each of values) rows.push(await this.row(statement, each));
    return rows;
  }

  #ready(text: string): Prepared {
    this.#beforeEach();
    const known = this.#prepared.get(text);
    if (known) return known;
    if (this.#prepared.size >= PREPARED_MAX) this.#prepared.clear();
    const prepared = prepare(this.#db, text);
    this.#prepared.set(text, prepared);
    return prepared;
  }
}

interface Prepared {
  query: Database.Statement;
  bind: (values: readonly Value[]) => readonly Value[];
}

/**
 * Writes ? for $1, $2 …, and binds each value as often as the text names it, in the order of the text. A LIMIT becomes an
 * expression: SQLite would plan the statement anew at each run, since the number of rows may change the plan.
 */
function prepare(db: Database.Database, text: string): Prepared {
  const order: number[] = [];
  const plain = text.replace(/(LIMIT )?\$(\d+)/g, (_, limit: string | undefined, index: string) => {
    order.push(Number(index) - 1);
    return limit ? `${limit}CAST(? AS INTEGER)` : '?';
  });
  const query = db.prepare(plain);
  if (query.reader) query.raw();
  const isSorted = order.every((index, at) => index === at);
  return {
    query,
    bind: isSorted ? (values) => values : (values) => order.map((index) => values[index]!),
  };
}
