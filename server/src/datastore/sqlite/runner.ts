import type Database from 'better-sqlite3';
import type { Insertion, Row, Runner, Statement, Value } from '../runner.ts';
import { failureOf } from './failures.ts';

const PREPARED_MAX = 1_000;

/** Runs statements of the port on one connection. Each is prepared once. */
export class SqliteRunner implements Runner {
  readonly engine = 'sqlite';
  readonly #db: Database.Database;
  readonly #beforeEach: () => void;
  readonly #prepared = new Map<string, Prepared>();
  /** Rises with every statement that has changed a row. */
  changes = 0;

  /** `beforeEach` is called before each statement. */
  constructor(db: Database.Database, beforeEach: () => void = () => undefined) {
    this.#db = db;
    this.#beforeEach = beforeEach;
  }

  async row<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    try {
      const { query, bind, isChange } = this.#ready(statement.text);
      const row = query.get(bind(values)) as R | undefined;
      if (isChange && row) this.changes += 1;
      return row;
    } catch (err) {
      throw failureOf(err);
    }
  }

  async rows<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    try {
      const { query, bind, isChange } = this.#ready(statement.text);
      const rows = query.all(bind(values)) as R[];
      if (isChange) this.changes += rows.length;
      return rows;
    } catch (err) {
      throw failureOf(err);
    }
  }

  async run(statement: Statement, values: readonly Value[]) {
    try {
      const { query, bind } = this.#ready(statement.text);
      const { changes } = query.run(bind(values));
      this.changes += changes;
      return changes;
    } catch (err) {
      throw failureOf(err);
    }
  }

  async insert({ text }: Insertion, values: readonly Value[]) {
    try {
      const { query, bind } = this.#ready(text);
      const { changes, lastInsertRowid } = query.run(bind(values));
      this.changes += changes;
      return changes === 0 ? undefined : Number(lastInsertRowid);
    } catch (err) {
      throw failureOf(err);
    }
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
  isChange: boolean;
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
    isChange: !query.readonly,
    bind: isSorted ? (values) => values : (values) => order.map((index) => values[index]!),
  };
}
