import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import {
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
  readonly #client: PoolClient;
  readonly #prepared: PreparedStatements = new Map();

  constructor(client: PoolClient) {
    this.#client = client;
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
    const prepared = this.#prepared;
    try {
      await new Promise<void>((resolve, reject) => {
        const onEnd = (err?: unknown) => (err === undefined ? resolve() : reject(err));
        this.#client.query(new CommandBatch(commands, { prepared, onDone, onEnd }));
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
