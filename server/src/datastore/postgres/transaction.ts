import { type Transaction, transactionOver } from '../datastore.ts';
import { dialects } from '../dialect.ts';
import { ConstraintViolation, StorageUnavailable } from '../failures.ts';
import type {
  Guard,
  Row,
  Runner,
  SingleChange,
  SingleStatement,
  SingleStatementValues,
  Statement,
  Value,
} from '../runner.ts';
import { BEGIN, type Command, type CommandResult, control, touchedRows } from './command-batch.ts';
import type { CommitOutcomes } from './commit-outcomes.ts';
import type { SingleUnit } from './commit-units.ts';
import { MustRunAgain } from './failures.ts';
import type { Acquired } from './pool.ts';
import { rowName } from './write-connections.ts';

/** How long a group waits for the rest of a unit. Making a response takes no time, and waits for nothing. */
const FINISH_MS = 100;
const NOT_FINISHED = new Error('the unit did not finish');

interface TransactionOptions {
  /** `row` is the row that the first statement locks, if it locks one. */
  acquire: (row: string | undefined) => Promise<Acquired>;
  /** Commits a single statement apart from this transaction. */
  commitSingle: (
    statement: SingleStatement,
    values: SingleStatementValues,
  ) => Promise<number | undefined>;
  /** Runs a guarded statement in a group. Resolves once it is committed; with undefined if it changed nothing. */
  commitGuarded: (unit: GuardedStatement) => Promise<number | undefined>;
  outcomes: CommitOutcomes;
  /** A reading of performance.now(): until when the outcome of the commit is waited for. */
  deadline: number;
  /** Send each statement by itself and join no group, so that the unit meets its own errors. */
  isStepwise: boolean;
}

type GuardedStatement = Required<Pick<SingleUnit, 'statement' | 'values' | 'guard' | 'finish'>>;

/** The group whose transaction this unit is a part of. */
interface Membership {
  /** Hands over the changes that are left. */
  handOver: (changes: readonly Command[]) => void;
  leave: (err: unknown) => void;
  committed: Promise<unknown>;
}

/**
 * One unit of work. It acquires a connection for its first statement, and BEGIN travels with that. A unit that is a
 * single statement acquires none.
 */
export class PostgresTransaction implements Runner {
  readonly engine = 'postgres';
  readonly #options: TransactionOptions;
  readonly #transaction: Transaction;
  #acquiring: Promise<Acquired> | undefined;
  #acquired: Acquired | undefined;
  /** Commands that travel with the next statement. */
  #ahead: Command[] = [BEGIN];
  readonly #deferred = new Set<Command>();
  #guard: Guard | undefined;
  #group: Membership | undefined;
  /** Set once a statement has failed: the unit then sends nothing more. Cleared if the failed part can be rolled back. */
  #failure: { cause: unknown } | undefined;
  #depth = 0;
  #isCommitted = false;

  constructor(options: TransactionOptions) {
    this.#options = options;
    this.#transaction = transactionOver(this, (work) => this.#attempt(work));
  }

  /** Runs the work and commits it, or rolls it back and throws. `onValue` is called before the commit. */
  async runUnit<T>(
    work: (tx: Transaction) => Promise<T>,
    onValue: (value: T) => void,
  ): Promise<void> {
    try {
      onValue(await this.#runWork(work));
      await this.#commit();
    } catch (err) {
      this.#group?.leave(err);
      await this.#acquired?.connection.rollBack();
      throw err;
    } finally {
      // Also a connection that arrives after the work has failed.
      this.#acquiring?.then(({ release }) => release()).catch(() => undefined);
    }
  }

  async row<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.rowEach(statement, [values]))[0];
  }

  async rows<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.#sendEach(statement, [values]))[0]!.rows as unknown as R[];
  }

  run(statement: Statement, values: readonly Value[]) {
    return this.runEach(statement, [values]);
  }

  async runEach(statement: Statement, values: readonly (readonly Value[])[]) {
    const results = await this.#sendEach(statement, values);
    return results.reduce((sum, result) => sum + touchedRows(result), 0);
  }

  async rowEach<R extends Row>(statement: Statement<R>, values: readonly (readonly Value[])[]) {
    return (await this.#sendEach(statement, values)).map(({ rows }) => rows[0] as R | undefined);
  }

  /**
   * As the first statement of a unit it is committed at once. Under a guard it joins a group, which commits with the rest of
   * the unit. Otherwise it is one more statement of this transaction.
   */
  async commitSingle(change: SingleChange) {
    this.#throwIfUnusable();
    const [statement, values] = change();
    if (this.#guard && !this.#group && this.#deferred.size === 0) {
      const result = await this.#joinGroup({ statement, values, guard: this.#guard });
      if (result !== undefined) return result;
    } else if (!this.#acquiring && this.#ahead.length === 1) {
      const result = await this.#options.commitSingle(statement, values);
      this.#isCommitted = result !== undefined;
      return result;
    }
    const { ctes, column, lockedTable } = statement;
    const text = `WITH ${ctes('')} SELECT ${column} FROM result`;
    const plain = { text, locks: false, ...(lockedTable ? { lockedTable } : {}) };
    return (await this.row<readonly [number]>(plain, values))?.[0];
  }

  /**
   * The insert is sent ahead of the unit's first statement. It is not sent ahead of a single statement, which checks by
   * itself that the row does not exist. If the row exists, the unit runs again, and its guard is refused.
   */
  async guard(guard: Guard): Promise<(() => boolean) | undefined> {
    const isLate = this.#acquiring || this.#guard || this.#depth > 0;
    if (this.#options.isStepwise || isLate) return undefined;
    this.#throwIfUnusable();
    this.#guard = guard;
    return () => {
      const isWaiting = this.#guard === guard;
      if (isWaiting) this.#guard = undefined;
      return isWaiting;
    };
  }

  /** If the change violates a constraint, the unit runs again. */
  async runLater(statement: Statement, values: readonly Value[]) {
    if (this.#options.isStepwise) return void (await this.run(statement, values));
    this.#throwIfUnusable();
    const command = { text: statement.text, values };
    this.#ahead.push(command);
    this.#deferred.add(command);
  }

  async #runWork<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await work(this.#transaction);
    } catch (err) {
      if (this.#failure?.cause instanceof MustRunAgain) throw this.#failure.cause;
      // What the work throws does not count before its deferred changes are known to succeed.
      const isUnconfirmed =
        this.#guard !== undefined || this.#ahead.some((command) => this.#deferred.has(command));
      if (!isUnconfirmed || err instanceof StorageUnavailable) throw err;
      throw new MustRunAgain('not sent', { cause: err });
    }
  }

  /** Resolves when the statement is done. The group waits for the rest of this unit, and then commits. */
  async #joinGroup(guarded: Omit<GuardedStatement, 'finish'>): Promise<number | undefined> {
    const done = Promise.withResolvers<number | undefined>();
    const rest = Promise.withResolvers<readonly Command[]>();
    // The unit may leave before the group asks for it.
    rest.promise.catch(() => undefined);
    const committed = this.#options.commitGuarded({
      ...guarded,
      finish: (result) => {
        done.resolve(result);
        setTimeout(rest.reject, FINISH_MS, NOT_FINISHED).unref();
        return rest.promise;
      },
    });
    committed.then(done.resolve, done.reject);
    this.#group = { handOver: rest.resolve, leave: rest.reject, committed };
    let result: number | undefined;
    try {
      result = await done.promise;
    } finally {
      if (result === undefined) this.#group = undefined;
    }
    return result;
  }

  /** Nothing has been sent while there is a guard, so its insert comes first. */
  #insertGuard(): void {
    if (!this.#guard) return;
    const { statement, values } = this.#guard.insert;
    const command = { text: statement.text, values };
    this.#ahead.splice(1, 0, command);
    this.#deferred.add(command);
    this.#guard = undefined;
  }

  /** Sends a statement once for each of these values, in one round trip. */
  async #sendEach(
    { text, locks, lockedTable }: Statement,
    values: readonly (readonly Value[])[],
  ): Promise<CommandResult[]> {
    if (values.length === 0) return [];
    this.#throwIfUnusable();
    if (this.#group) this.#throwMustRunAgain('a unit in a group sends one statement');
    this.#insertGuard();
    // Statements that a unit sends at the same time wait for one connection.
    this.#acquiring ??= this.#options.acquire(lockedTable && rowName(lockedTable, values[0]![0]));
    this.#acquired = await this.#acquiring;
    const sent = locks ? text + dialects.postgres.forUpdate : text;
    return this.#sendBatch(values.map((each) => ({ text: sent, values: each })));
  }

  /** Sends what is ahead and the commands in one round trip. Returns the results of the commands. */
  async #sendBatch(commands: readonly Command[]): Promise<CommandResult[]> {
    const batch = [...this.#ahead, ...commands];
    this.#ahead = [];
    const results: CommandResult[] = [];
    try {
      await this.#acquired!.connection.sendAll(batch, (_, result) => results.push(result));
      return results.slice(batch.length - commands.length);
    } catch (err) {
      const failed = batch[results.length]!;
      const isDeferred = err instanceof ConstraintViolation && this.#deferred.has(failed);
      const cause = isDeferred ? new MustRunAgain('violates a constraint', { cause: err }) : err;
      this.#failure = { cause };
      throw cause;
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
      const at = this.#ahead.indexOf(savepoint);
      // A savepoint that was not sent is not needed.
      if (at === -1) this.#ahead.push(control(`RELEASE ${name}`));
      else this.#ahead.splice(at, 1);
      return value;
    } catch (err) {
      // No part of a group can be undone by itself.
      if (this.#group) this.#throwMustRunAgain(err);
      const at = this.#ahead.indexOf(savepoint);
      if (at === -1) this.#ahead = [control(`ROLLBACK TO ${name}`), control(`RELEASE ${name}`)];
      else this.#ahead.length = at;
      const isFinal = this.#acquired?.connection.isLost || err instanceof MustRunAgain;
      if (!isFinal) this.#failure = undefined;
      throw err;
    } finally {
      this.#depth -= 1;
    }
  }

  async #commit(): Promise<void> {
    this.#throwIfFailed();
    if (this.#group) {
      this.#group.handOver(this.#ahead.filter((command) => this.#deferred.has(command)));
      return void (await this.#group.committed);
    }
    if (!this.#acquired) {
      if (this.#deferred.size === 0) return;
      this.#acquiring = this.#options.acquire(undefined);
      this.#acquired = await this.#acquiring;
    }
    const commit = { acquired: this.#acquired, deadline: this.#options.deadline };
    const send = async (end: readonly Command[]) => (await this.#sendBatch(end)).at(-1)!;
    await this.#options.outcomes.commit(commit, send);
  }

  #throwMustRunAgain(cause: unknown): never {
    this.#failure = { cause: new MustRunAgain('cannot stay in its group', { cause }) };
    throw this.#failure.cause;
  }

  #throwIfUnusable(): void {
    this.#throwIfFailed();
    if (this.#isCommitted) throw new Error('the unit is committed and cannot send statements');
  }

  #throwIfFailed(): void {
    if (this.#failure) throw this.#failure.cause;
  }
}
