import { type Transaction, transactionOver } from './datastore.ts';
import type { Command, Outcome, PostgresConnection } from './postgres-connection.ts';
import { ConnectionLost } from './postgres-failures.ts';
import { type Mark, markCommand, settleCommand } from './postgres-marks.ts';
import type { Row, Runner, Settlement, Statement, Value } from './runner.ts';

const BEGIN = control('BEGIN ISOLATION LEVEL READ COMMITTED');
const COMMIT = control('COMMIT');
const ROLLBACK = control('ROLLBACK');

// Weaker than FOR UPDATE by one thing only: it does not hold up those who merely refer to the row, so an
// order or a movement of a pet never waits for, or deadlocks with, whoever changes that pet's stock.
const LOCK = ' FOR NO KEY UPDATE';

/** The commit was sent and its answer lost. The mark tells whether it happened. */
export class CommitInDoubt extends Error {
  readonly mark: Mark;
  /** Whether it was a settlement, whose number the unit has not been told. */
  readonly isSettlement: boolean;
  constructor(mark: Mark, cause: unknown, isSettlement = false) {
    super('the connection was lost during a commit', { cause });
    this.mark = mark;
    this.isSettlement = isSettlement;
  }
}

/** One unit of work on one connection. Nothing is sent before its first statement; BEGIN goes with that. */
export class PostgresTransaction implements Runner {
  readonly engine = 'postgres';
  readonly #connection: PostgresConnection;
  readonly #transaction: Transaction;
  /** Commands that travel with the next statement. */
  #ahead: Command[] = [BEGIN];
  /** Why the server takes no statement until what failed is rolled back. */
  #failure: { cause: unknown } | undefined;
  #depth = 0;
  #isSettled = false;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#transaction = transactionOver(this, (work) => this.#attempt(work));
  }

  /** Runs the work and commits it, or rolls it back and throws. The value is told before the commit. */
  async runUnit<T>(work: (tx: Transaction) => Promise<T>, tell: (value: T) => void): Promise<void> {
    try {
      tell(await work(this.#transaction));
      await this.#commit();
    } catch (err) {
      await this.#rollback();
      throw err;
    }
  }

  async row<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.#send(statement, values)).rows[0] as R | undefined;
  }

  async rows<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.#send(statement, values)).rows as unknown as R[];
  }

  async run(statement: Statement, values: readonly Value[]) {
    return touchedRows(await this.#send(statement, values));
  }

  /** Where nothing was sent before, the statement is a transaction by itself and carries its mark. */
  async settle(settlement: Settlement, values: readonly Value[]): Promise<number | undefined> {
    const isAlone = this.#ahead.length === 1 && this.#ahead[0] === BEGIN;
    if (!isAlone) {
      const text = `WITH ${settlement.parts} SELECT ${settlement.told} FROM told`;
      return (await this.row<readonly [number]>({ text, locks: false }, values))?.[0];
    }
    this.#throwIfFailed();
    const mark = this.#connection.nextMark();
    const { lastUnit } = this.#connection;
    const command = settleCommand(settlement, values, mark, lastUnit, Date.now());
    try {
      const { rows } = await this.#connection.send([command]);
      if (rows.length === 0) return undefined;
      this.#connection.lastUnit = mark.unit;
      this.#isSettled = true;
      return rows[0]![0] as number;
    } catch (err) {
      throw err instanceof ConnectionLost ? new CommitInDoubt(mark, err, true) : err;
    }
  }

  async #send({ text, locks }: Statement, values: readonly Value[]): Promise<Outcome> {
    this.#throwIfFailed();
    if (this.#isSettled) throw new Error('a unit that is settled does nothing more');
    const batch = [...this.#ahead, { text: locks ? text + LOCK : text, values }];
    this.#ahead = [];
    try {
      return await this.#connection.send(batch);
    } catch (err) {
      this.#failure = { cause: err };
      throw err;
    }
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    this.#throwIfFailed();
    this.#depth += 1;
    const name = `attempt_${this.#depth}`;
    const savepoint = control(`SAVEPOINT ${name}`);
    this.#ahead.push(savepoint);
    try {
      const value = await work();
      this.#throwIfFailed();
      if (!this.#takeBack(savepoint)) this.#ahead.push(control(`RELEASE ${name}`));
      return value;
    } catch (err) {
      if (!this.#takeBack(savepoint)) {
        this.#ahead = [control(`ROLLBACK TO ${name}`), control(`RELEASE ${name}`)];
      }
      if (!this.#connection.isLost) this.#failure = undefined;
      throw err;
    } finally {
      this.#depth -= 1;
    }
  }

  /** A savepoint that no statement has followed yet was never sent, and need not be. */
  #takeBack(savepoint: Command): boolean {
    const at = this.#ahead.indexOf(savepoint);
    if (at !== -1) this.#ahead.length = at;
    return at !== -1;
  }

  async #commit(): Promise<void> {
    this.#throwIfFailed();
    if (this.#ahead[0] === BEGIN) return;
    const mark = this.#connection.nextMark();
    const marking = markCommand(mark, this.#connection.lastUnit, Date.now());
    try {
      const { tag } = await this.#connection.send([...this.#ahead, marking, COMMIT]);
      if (tag !== COMMIT.text) throw new Error(`a commit was answered with ${tag}`);
      this.#connection.lastUnit = mark.unit;
    } catch (err) {
      throw err instanceof ConnectionLost ? new CommitInDoubt(mark, err) : err;
    }
  }

  async #rollback(): Promise<void> {
    const isBegun = this.#ahead[0] !== BEGIN;
    if (!isBegun || this.#connection.isLost) return;
    try {
      await this.#connection.send([ROLLBACK]);
    } catch {
      this.#connection.isLost = true;
    }
  }

  #throwIfFailed(): void {
    if (this.#failure) throw this.#failure.cause;
  }
}

/** The last word of the tag is a number of rows, as in `INSERT 0 1` and `UPDATE 3`. */
export function touchedRows({ tag }: Outcome): number {
  return Number(tag.slice(tag.lastIndexOf(' ') + 1));
}

function control(text: string): Command {
  return { text, values: [] };
}
