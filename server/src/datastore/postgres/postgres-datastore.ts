// The PostgreSQL driver: a pool of connections, one for each unit of work while it runs, and one for several
// that are a single statement each.
//
// Units run at READ COMMITTED and lock the rows that they go on to change. A unit that the engine undid in
// favour of another, or that found its row changed underneath, runs again; so does, once, a unit whose
// connection was lost before its commit was sent. A commit that was sent and not answered is never repeated
// before it is known that it did not happen. Nobody waits for longer than `ANSWER_MS`, whatever the
// server or the network does.

import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Coalescer } from '../../lib/coalescer.ts';
import { type Datastore, type Readers, readersOver, type Transaction } from '../datastore.ts';
import { Conflict, StorageUnavailable } from '../failures.ts';
import { FORGET_OLD_MARKS, lookAtMark, MARKS_KEPT_MS, type Mark } from './commit-markers.ts';
import { ConnectionLost } from './failures.ts';
import { PostgresSettlements } from './grouped-transactions.ts';
import { type PoolSettings, PostgresPool } from './pool.ts';
import { PostgresReads } from './reads.ts';
import { CommitInDoubt, PostgresTransaction } from './transaction.ts';

const CONNECTIONS = 10;
const CONFLICTS_MAX = 3;
/** How long a statement or a unit of work may take before its connection is cut. */
const WORK_MS = 1_600;
/** Within what time everyone is answered; what is left after the work is for looking up a lost commit. */
const ANSWER_MS = 1_900;
/** Later than the second that a server lets pass before it looks for deadlocks. */
const REPEAT_UNTIL_MS = 1_400;
const PING_MS = 1_000;
const LOOK_AGAIN_MS = 50;

export class PostgresDatastore implements Datastore {
  readonly read: Readers;
  readonly #pool: PostgresPool;
  readonly #settlements: PostgresSettlements;
  readonly #patience: number;
  #running = 0;
  #drained: (() => void) | undefined;

  constructor(url: string, coalescer: Coalescer, settings: Partial<PoolSettings> = {}) {
    const { connections = CONNECTIONS, onIdleFailure = () => {}, patience = 1 } = settings;
    this.#patience = patience;
    this.#pool = new PostgresPool(url, { connections, onIdleFailure, patience });
    const times = { workMs: WORK_MS * patience, repeatUntilMs: REPEAT_UNTIL_MS };
    this.read = readersOver(new PostgresReads(this.#pool, coalescer, times));
    this.#settlements = new PostgresSettlements(
      this.#pool,
      coalescer,
      (mark, deadline) => this.#lookUp(mark, deadline),
      { workMs: WORK_MS * patience, answerMs: ANSWER_MS * patience },
    );
  }

  async transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await this.#repeatedly(work, performance.now());
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#drained?.();
    }
  }

  async ping(): Promise<void> {
    const select = { text: 'SELECT 1', values: [] };
    await this.#pool.use(performance.now() + PING_MS, (connection) => connection.send([select]));
  }

  async tidy(): Promise<void> {
    const forget = { text: FORGET_OLD_MARKS, values: [Date.now() - MARKS_KEPT_MS] };
    await this.#pool.use(performance.now() + WORK_MS, (connection) => connection.send([forget]));
  }

  /** Finishes what is under way, then closes. */
  async close(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    await this.#pool.close();
  }

  async #repeatedly<T>(work: (tx: Transaction) => Promise<T>, startedAt: number): Promise<T> {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await this.#once(work, startedAt, repeats > 0);
      } catch (err) {
        const isTimeLeft = performance.now() < startedAt + REPEAT_UNTIL_MS;
        if (!isTimeLeft || repeats >= repeatsMax(err)) {
          throw err instanceof Conflict ? new StorageUnavailable(err) : err;
        }
        // Those that were in each other's way must not meet again at the same instant.
        if (err instanceof Conflict) await pause(randomInt(10 * 2 ** repeats));
      }
    }
  }

  async #once<T>(
    work: (tx: Transaction) => Promise<T>,
    startedAt: number,
    isAgain: boolean,
  ): Promise<T> {
    let value: T | undefined;
    const unit = new PostgresTransaction(
      () => this.#pool.lend(startedAt + WORK_MS * this.#patience),
      (settlement, values) => this.#settlements.settle(settlement, values, startedAt, isAgain),
    );
    try {
      await unit.runUnit(work, (told) => {
        value = told;
      });
    } catch (err) {
      if (!(err instanceof CommitInDoubt)) throw err;
      const kept = await this.#lookUp(err.mark, startedAt + ANSWER_MS * this.#patience);
      if (kept === 0) throw new ConnectionLost(err);
    }
    return value as T;
  }

  /** Asks until there is an answer or no time; then nobody knows, and the caller is told to look again. */
  async #lookUp(mark: Mark, deadline: number): Promise<number> {
    for (;;) {
      try {
        const look = lookAtMark(mark, Date.now());
        const { rows } = await this.#pool.use(deadline, (connection) => connection.send([look]));
        return rows[0]![0] as number;
      } catch (err) {
        if (performance.now() + LOOK_AGAIN_MS >= deadline) throw err;
      }
      await pause(randomInt(LOOK_AGAIN_MS));
    }
  }
}

function repeatsMax(err: unknown): number {
  if (err instanceof Conflict) return CONFLICTS_MAX;
  return err instanceof ConnectionLost ? 1 : 0;
}
