// The PostgreSQL driver: a pool of connections, one for each unit of work while it runs, and one for several units
// that are a single statement each.
//
// Units run at READ COMMITTED and lock the rows that they go on to change. A unit runs again if the engine aborted it
// in favour of another, or if a row changed after it was read; and once, if its connection was lost before COMMIT was sent.
// A commit whose answer was lost is repeated only after it is known that it did not take place. Every call is answered
// within `ANSWER_MS`, whatever the server or the network does.

import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Coalescer } from '../../lib/coalescer.ts';
import { type Datastore, type Readers, readersOver, type Transaction } from '../datastore.ts';
import { Conflict, StorageUnavailable } from '../failures.ts';
import { control } from './command.ts';
import { type CommitMarker, deleteOldMarkers, findMarker } from './commit-markers.ts';
import { ConnectionLost } from './failures.ts';
import { GroupedTransactions } from './grouped-transactions.ts';
import { type PoolSettings, PostgresPool } from './pool.ts';
import { PostgresReads } from './reads.ts';
import { CommitInDoubt, DeferralFailed, PostgresTransaction } from './transaction.ts';

const CONNECTIONS = 10;
const CONFLICTS_MAX = 3;
/** How long a statement or a unit of work may take before its connection is destroyed. */
const WORK_MS = 1_600;
/** Within what time every call is answered. What is left after the work is for looking up a lost commit. */
const ANSWER_MS = 1_900;
/** Later than the second after which a server looks for deadlocks. */
const RETRY_UNTIL_MS = 1_400;
const PING_MS = 1_000;
const FIND_AGAIN_MS = 50;
const PING = control('SELECT 1');

interface Run {
  /** A reading of performance.now(). */
  startedAt: number;
  isRetry: boolean;
  mayDefer: boolean;
}

export class PostgresDatastore implements Datastore {
  readonly read: Readers;
  readonly #pool: PostgresPool;
  readonly #groups: GroupedTransactions;
  readonly #patience: number;
  #running = 0;
  #onDrained: (() => void) | undefined;

  constructor(url: string, coalescer: Coalescer, settings: Partial<PoolSettings> = {}) {
    const { connections = CONNECTIONS, onIdleFailure = () => {}, patience = 1 } = settings;
    this.#patience = patience;
    this.#pool = new PostgresPool(url, { connections, onIdleFailure, patience });
    const workMs = WORK_MS * patience;
    const times = { workMs, retryUntilMs: RETRY_UNTIL_MS * patience };
    this.read = readersOver(new PostgresReads(this.#pool, coalescer, times));
    this.#groups = new GroupedTransactions(this.#pool, coalescer, {
      workMs,
      answerMs: ANSWER_MS * patience,
      findOutcome: (marker, deadline) => this.#findOutcome(marker, deadline),
    });
  }

  async transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await this.#runWithRetries(work, performance.now());
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onDrained?.();
    }
  }

  async ping(): Promise<void> {
    await this.#pool.use(performance.now() + PING_MS, (connection) => connection.send([PING]));
  }

  async tidy(): Promise<void> {
    const deletion = deleteOldMarkers(Date.now());
    await this.#pool.use(performance.now() + WORK_MS, (connection) => connection.send([deletion]));
  }

  /** Finishes what is under way, then closes. */
  async close(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
    }
    await this.#pool.close();
  }

  async #runWithRetries<T>(work: (tx: Transaction) => Promise<T>, startedAt: number): Promise<T> {
    let mayDefer = true;
    for (let retries = 0; ; ) {
      try {
        return await this.#runOnce(work, { startedAt, isRetry: retries > 0, mayDefer });
      } catch (err) {
        const isTimeLeft = performance.now() < startedAt + RETRY_UNTIL_MS * this.#patience;
        if (isTimeLeft && err instanceof DeferralFailed) {
          mayDefer = false;
          continue;
        }
        if (!isTimeLeft || retries >= retriesMax(err)) {
          throw err instanceof Conflict || err instanceof DeferralFailed
            ? new StorageUnavailable(err)
            : err;
        }
        // Units that collided must not meet again at the same instant.
        if (err instanceof Conflict) await pause(randomInt(10 * 2 ** retries));
        retries += 1;
      }
    }
  }

  async #runOnce<T>(work: (tx: Transaction) => Promise<T>, run: Run): Promise<T> {
    const { startedAt, isRetry, mayDefer } = run;
    let value: T | undefined;
    const unit = new PostgresTransaction({
      lease: () => this.#pool.lease(startedAt + WORK_MS * this.#patience),
      commitSingle: (statement, values) =>
        this.#groups.commit({ statement, values, startedAt, isRetry }),
      mayDefer,
    });
    try {
      await unit.runUnit(work, (result) => {
        value = result;
      });
    } catch (err) {
      if (!(err instanceof CommitInDoubt)) throw err;
      const deadline = startedAt + ANSWER_MS * this.#patience;
      if ((await this.#findOutcome(err.marker, deadline)) === 0) throw new ConnectionLost(err);
    }
    return value as T;
  }

  /** Asks until there is an answer or no time is left; then the outcome stays unknown, and this throws. */
  async #findOutcome(marker: CommitMarker, deadline: number): Promise<number> {
    for (;;) {
      try {
        const find = findMarker(marker, Date.now());
        const { rows } = await this.#pool.use(deadline, (connection) => connection.send([find]));
        return rows[0]![0] as number;
      } catch (err) {
        if (performance.now() + FIND_AGAIN_MS >= deadline) throw err;
      }
      await pause(randomInt(FIND_AGAIN_MS));
    }
  }
}

function retriesMax(err: unknown): number {
  if (err instanceof Conflict) return CONFLICTS_MAX;
  return err instanceof ConnectionLost ? 1 : 0;
}
