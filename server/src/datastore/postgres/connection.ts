import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import {
  BEGIN,
  BEGIN_SNAPSHOT,
  COMMIT,
  type Command,
  CommandBatch,
  type CommandResult,
  type OnDone,
  type PreparedStatements,
  ROLLBACK,
  UnreadableValue,
} from './command-batch.ts';
import type { CommitMarker } from './commit-markers.ts';
import { ConnectionLost, failureOf } from './failures.ts';

/** A connection that has prepared this many statements is replaced, so that filters cannot fill a server. */
const PREPARED_MAX = 250;

/** One connection of the pool. */
export class PostgresConnection {
  isLost = false;
  /** The first marker of the last commit that succeeded. Its outcome is known, so the next commit deletes its markers. */
  obsoleteFrom = 1;
  readonly #name = randomBytes(12).toString('base64url');
  #unit = 0;
  readonly timeline: number;
  readonly #client: PoolClient;
  readonly #prepared: PreparedStatements = new Map();
  readonly #local: Command | undefined;
  #isInTransaction = false;

  /** `local` makes the settings of each transaction, behind a pooler that keeps none for a session. */
  constructor(client: PoolClient, options: { timeline: number; local: Command | undefined }) {
    this.#client = client;
    this.timeline = options.timeline;
    this.#local = options.local;
  }

  get isWornOut(): boolean {
    return this.isLost || this.#prepared.size >= PREPARED_MAX;
  }

  /** Unique among all commits of all connections. */
  nextMarker(): CommitMarker {
    this.#unit += 1;
    return { connection: this.#name, unit: this.#unit };
  }

  /** Sends the commands in one round trip and returns the result of the last. */
  async send(commands: readonly Command[]): Promise<CommandResult> {
    let last: CommandResult | undefined;
    await this.sendAll(commands, (_, result) => {
      last = result;
    });
    return last!;
  }

  /** Sends the commands in one round trip. `onDone` is called for each that succeeds, also when one behind it fails. */
  async sendAll(commands: readonly Command[], onDone: OnDone): Promise<void> {
    if (!this.#local) return this.#sendBatch(commands, onDone);
    const at = commands[0] === BEGIN || commands[0] === BEGIN_SNAPSHOT ? 1 : 0;
    const isFirst = at === 1 || !this.#isInTransaction;
    const batch = isFirst ? commands.toSpliced(at, 0, this.#local) : commands;
    this.#isInTransaction = (at === 1 || this.#isInTransaction) && commands.at(-1) !== ROLLBACK;
    await this.#sendBatch(batch, (done, result) => {
      if (batch[done] === COMMIT) this.#isInTransaction = false;
      if (!isFirst || done < at) onDone(done, result);
      else if (done > at) onDone(done - 1, result);
    });
  }

  async #sendBatch(commands: readonly Command[], onDone: OnDone): Promise<void> {
    const prepared = this.#prepared;
    const isNamed = !this.#local;
    try {
      await new Promise<void>((resolve, reject) => {
        const onEnd = (err?: unknown) => (err === undefined ? resolve() : reject(err));
        this.#client.query(new CommandBatch(commands, { prepared, isNamed, onDone, onEnd }));
      });
    } catch (err) {
      if (err instanceof UnreadableValue) throw err.cause;
      const failure = failureOf(err);
      if (failure instanceof ConnectionLost) this.isLost = true;
      throw failure;
    }
  }

  /** Ends a transaction that failed. If even that fails, the connection is not used again. */
  async rollBack(): Promise<void> {
    if (this.isLost) return;
    try {
      await this.send([ROLLBACK]);
    } catch {
      this.isLost = true;
    }
  }
}
