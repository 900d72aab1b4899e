// The PostgreSQL driver. It has four pools of connections, and none borrows from another: for reads and health checks,
// for groups of units that are a single statement each, for all other units, and for looking up commits in doubt. A
// statement of a group waits only briefly for a lock.
//
// Units run at READ COMMITTED and lock the rows that they go on to change. A unit runs again if the engine aborted it
// in favour of another, or if a row changed after it was read; and once, if its connection was lost before COMMIT was sent.
// A commit whose answer was lost or is late is repeated only after it is known that it did not take place. Every call is
// answered within `ANSWER_MS`, whatever the server or the network does.

import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Coalescer } from '../../lib/coalescer.ts';
import { hostOf } from '../../lib/network/host-list.ts';
import {
  type Datastore,
  type Readers,
  readersOver,
  type Snapshot,
  type Transaction,
  type TransactOptions,
} from '../datastore.ts';
import { Conflict, StorageUnavailable } from '../failures.ts';
import { deleteOldMarkers } from './commit-markers.ts';
import { CommitOutcomes } from './commit-outcomes.ts';
import { settleGuarded, settleUnits } from './commit-units.ts';
import { ConnectionLost, MustRunAgain } from './failures.ts';
import { GroupedTransactions } from './grouped-transactions.ts';
import { type PoolSettings, PostgresPool } from './pool.ts';
import { PrimaryServer } from './primary.ts';
import { PostgresReads } from './reads.ts';
import { openSnapshot } from './snapshot.ts';
import { PostgresTransaction } from './transaction.ts';
import { WriteConnections } from './write-connections.ts';

/** How many connections a node opens while it serves. */
export const CONNECTIONS_DEFAULT = 18;
/** They are opened only when a commit is in doubt. */
const OUTCOME_CONNECTIONS = 2;
/** How long a group waits for a lock. */
const GROUP_LOCK_MS = 100;
const RETRIES_MAX = 3;
/**
 * A write that has not got a connection by then is rejected: too little time would be left to run it and to look up its
 * commit. Without this limit a crowd would wait until each write has just enough time left to fail.
 */
const WAIT_MS = 1_000;
/** How long a statement or a unit of work may take before its connection is destroyed. */
const WORK_MS = 1_600;
/** Within what time every call is answered. What is left after the work is for looking up a late or lost commit. */
const ANSWER_MS = 1_900;
/** No retry starts later. It is above the server's `deadlock_timeout` of a second, so that a deadlocked unit can be retried. */
const RETRY_UNTIL_MS = 1_400;
const PING_MS = 1_000;
const PING = 'SELECT shared_now(CAST($1 AS BIGINT))';

interface PostgresSettings extends Omit<PoolSettings, 'primary' | 'connections' | 'lockMs'> {
  /** How many connections one process opens at most, without those that look up commits in doubt. */
  connections: { reads: number; groups: number; writes: number };
}

/** Divides the connections of a node among its pools: a fifth each for reads and groups, the rest for other units. */
export function connectionsOf(total: number): PostgresSettings['connections'] {
  const rest = total - OUTCOME_CONNECTIONS;
  const share = Math.max(1, Math.floor(rest / 5));
  return { reads: share, groups: share, writes: rest - 2 * share };
}

interface Run extends TransactOptions {
  /** A reading of performance.now(). */
  startedAt: number;
  isRetry: boolean;
  /** After MustRunAgain. */
  isStepwise: boolean;
}

export class PostgresDatastore implements Datastore {
  readonly read: Readers;
  readonly #pools: Record<'reads' | 'groups' | 'writes' | 'outcomes', PostgresPool>;
  readonly #outcomes: CommitOutcomes;
  readonly #writes: WriteConnections;
  readonly #groups: Record<'single' | 'guarded', GroupedTransactions>;
  readonly #timeoutFactor: number;
  readonly #common: Omit<PoolSettings, 'connections' | 'lockMs'>;
  #running = 0;
  #onDrained: (() => void) | undefined;

  constructor(url: string, coalescer: Coalescer, settings: Partial<PostgresSettings> = {}) {
    const { timeoutFactor = 1, mayScan = false, pooling = 'session' } = settings;
    const { connections = connectionsOf(CONNECTIONS_DEFAULT) } = settings;
    const { reads, groups, writes } = connections;
    this.#timeoutFactor = timeoutFactor;
    const common = { primary: new PrimaryServer(url), pooling, timeoutFactor, mayScan };
    this.#common = common;
    this.#pools = {
      reads: new PostgresPool({ ...common, connections: reads }),
      groups: new PostgresPool({ ...common, connections: groups, lockMs: GROUP_LOCK_MS }),
      writes: new PostgresPool({ ...common, connections: writes }),
      outcomes: new PostgresPool({ ...common, connections: OUTCOME_CONNECTIONS }),
    };
    this.#outcomes = new CommitOutcomes(this.#pools.outcomes);
    const workMs = WORK_MS * timeoutFactor;
    const times = { workMs, retryUntilMs: RETRY_UNTIL_MS * timeoutFactor };
    const reading = { connections: reads, ...times };
    this.read = readersOver(new PostgresReads(this.#pools.reads, coalescer, reading));
    this.#writes = new WriteConnections(this.#pools.writes, writes);
    const grouping = {
      pool: this.#pools.groups,
      groupsMax: groups,
      writes: this.#writes,
      waitMs: WAIT_MS * timeoutFactor,
      workMs,
      answerMs: ANSWER_MS * timeoutFactor,
      outcomes: this.#outcomes,
    };
    this.#groups = {
      single: new GroupedTransactions(coalescer, { ...grouping, settle: settleUnits }),
      guarded: new GroupedTransactions(coalescer, { ...grouping, settle: settleGuarded }),
    };
  }

  get host(): string {
    return hostOf(this.#common.primary.url);
  }

  snapshot(): Promise<Snapshot> {
    return openSnapshot(this.#common);
  }

  async transact<T>(
    work: (tx: Transaction) => Promise<T>,
    options: TransactOptions = {},
  ): Promise<T> {
    this.#running += 1;
    try {
      return await this.#runWithRetries(work, options);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onDrained?.();
    }
  }

  async ping(nodeNow: number): Promise<number> {
    const deadline = performance.now() + PING_MS * this.#timeoutFactor;
    const ping = { text: PING, values: [nodeNow] };
    const { rows } = await this.#pools.reads.use(deadline, (connection) => connection.send([ping]));
    return rows[0]![0] as number;
  }

  async tidy(): Promise<void> {
    const deletion = deleteOldMarkers(Date.now());
    const deadline = performance.now() + WORK_MS * this.#timeoutFactor;
    await this.#pools.writes.use(deadline, (connection) => connection.send([deletion]));
  }

  /** Finishes what is under way, then closes. */
  async close(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
    }
    await Promise.all(Object.values(this.#pools).map((pool) => pool.close()));
  }

  async #runWithRetries<T>(
    work: (tx: Transaction) => Promise<T>,
    options: TransactOptions,
  ): Promise<T> {
    const startedAt = performance.now();
    let isStepwise = false;
    for (let retries = 0; ; ) {
      try {
        return await this.#runOnce(work, {
          ...options,
          startedAt,
          isRetry: retries > 0,
          isStepwise,
        });
      } catch (err) {
        const isTimeLeft = performance.now() < startedAt + RETRY_UNTIL_MS * this.#timeoutFactor;
        if (!isTimeLeft || retries >= retriesMax(err)) {
          throw err instanceof Conflict || err instanceof MustRunAgain
            ? new StorageUnavailable(err)
            : err;
        }
        // Units that collided must not meet again at the same instant.
        if (err instanceof Conflict) await pause(randomInt(10 * 2 ** retries));
        isStepwise ||= err instanceof MustRunAgain;
        retries += 1;
      }
    }
  }

  async #runOnce<T>(work: (tx: Transaction) => Promise<T>, run: Run): Promise<T> {
    const { startedAt, isRetry, isStepwise, workspaceId } = run;
    let value: T | undefined;
    const origin = { workspaceId, startedAt, isRetry };
    const unit = new PostgresTransaction({
      acquire: (row) => {
        const deadline = startedAt + WORK_MS * this.#timeoutFactor;
        const waitUntil = isRetry ? deadline : startedAt + WAIT_MS * this.#timeoutFactor;
        return this.#writes.acquire({ waitUntil, deadline, workspaceId, row });
      },
      commitSingle: (statement, values) =>
        this.#groups.single.commit({ statement, values, ...origin }),
      commitGuarded: (guarded) => this.#groups.guarded.commit({ ...guarded, ...origin }),
      outcomes: this.#outcomes,
      deadline: startedAt + ANSWER_MS * this.#timeoutFactor,
      isStepwise,
    });
    await unit.runUnit(work, (result) => {
      value = result;
    });
    return value as T;
  }
}

function retriesMax(err: unknown): number {
  if (err instanceof Conflict || err instanceof MustRunAgain) return RETRIES_MAX;
  return err instanceof ConnectionLost ? 1 : 0;
}
