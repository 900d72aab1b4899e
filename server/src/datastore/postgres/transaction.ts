import { type Transaction, transactionOver } from '../datastore.ts';
import type { Row, Runner, Settlement, SettlementValues, Statement, Value } from '../runner.ts';
import { BEGIN, COMMIT, type Command, checkCommitted, control, type Outcome } from './command.ts';
import { type Mark, markCommand } from './commit-markers.ts';
import { ConnectionLost } from './failures.ts';
import type { Lease } from './pool.ts';

// Weaker than FOR UPDATE by one thing only: it does not hold up those who merely refer to the row, so an
// order or a movement of a pet never waits for, or deadlocks with, whoever changes that pet's stock.
const LOCK = ' FOR NO KEY UPDATE';

/** The commit was sent and its answer lost. The mark tells whether it happened. */
export class CommitInDoubt extends Error {
  readonly mark: Mark;
  constructor(mark: Mark, cause: unknown) {
    super('the connection was lost during a commit', { cause });
    this.mark = mark;
  }
}

type Settle = (settlement: Settlement, values: SettlementValues) => Promise<number | undefined>;

/**
 * One unit of work. It takes a connection with its first statement, and BEGIN goes with that; a unit that is
 * all one settlement takes none.
 */
export class PostgresTransaction implements Runner {
  readonly engine = 'postgres';
  readonly #lend: () => Promise<Lease>;
  readonly #settleApart: Settle;
  readonly #transaction: Transaction;
  #lending: Promise<Lease> | undefined;
  #lease: Lease | undefined;
  /** Commands that travel with the next statement. */
  #ahead: Command[] = [BEGIN];
  /** Why the server takes no statement until what failed is rolled back. */
  #failure: { cause: unknown } | undefined;
  #depth = 0;
  #isSettled = false;

  constructor(lend: () => Promise<Lease>, settleApart: Settle) {
    this.#lend = lend;
    this.#settleApart = settleApart;
    this.#transaction = transactionOver(this, (work) => this.#attempt(work));
  }

  /** Runs the work and commits it, or rolls it back and throws. The value is told before the commit. */
  async runUnit<T>(work: (tx: Transaction) => Promise<T>, tell: (value: T) => void): Promise<void> {
    try {
      tell(await work(this.#transaction));
      await this.#commit();
    } catch (err) {
      await this.#lease?.connection.rollBack();
      throw err;
    } finally {
      // Also one that comes when the work has failed meanwhile.
      this.#lending?.then(({ release }) => release()).catch(() => undefined);
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

  /** Where nothing was sent before, the settlement is all of the unit so far. */
  async settle(settlement: Settlement, values: SettlementValues): Promise<number | undefined> {
    const isAlone = !this.#lending && this.#ahead.length === 1;
    if (!isAlone) {
      const text = `WITH ${settlement.parts} SELECT ${settlement.told} FROM told`;
      return (await this.row<readonly [number]>({ text, locks: false }, values))?.[0];
    }
    this.#throwIfUsed();
    const told = await this.#settleApart(settlement, values);
    this.#isSettled = told !== undefined;
    return told;
  }

  async #send({ text, locks }: Statement, values: readonly Value[]): Promise<Outcome> {
    this.#throwIfUsed();
    // Statements that a unit sends side by side wait for one connection.
    this.#lending ??= this.#lend();
    this.#lease = await this.#lending;
    const batch = [...this.#ahead, { text: locks ? text + LOCK : text, values }];
    this.#ahead = [];
    try {
      return await this.#lease.connection.send(batch);
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
      if (!this.#lease?.connection.isLost) this.#failure = undefined;
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
    if (!this.#lease) return;
    const { connection } = this.#lease;
    const mark = connection.nextMark();
    const marking = markCommand(mark, connection.settled, Date.now());
    try {
      checkCommitted(await connection.send([...this.#ahead, marking, COMMIT]));
      connection.settled = [mark.unit];
    } catch (err) {
      throw err instanceof ConnectionLost ? new CommitInDoubt(mark, err) : err;
    }
  }

  #throwIfUsed(): void {
    this.#throwIfFailed();
    if (this.#isSettled) throw new Error('a unit that is settled does nothing more');
  }

  #throwIfFailed(): void {
    if (this.#failure) throw this.#failure.cause;
  }
}

/** The last word of the tag is a number of rows, as in `INSERT 0 1` and `UPDATE 3`. */
export function touchedRows({ tag }: Outcome): number {
  return Number(tag.slice(tag.lastIndexOf(' ') + 1));
}
