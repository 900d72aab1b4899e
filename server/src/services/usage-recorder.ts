// Counts usage in memory and writes it in batches, so that a request costs two map look-ups. A clean stop
// loses nothing, and a report writes what it shows before it shows it. A batch is written under a key of its own: if the
// outcome of a write is unknown, the batch is written again and counted once. Rows of the request log travel along.

import { randomUUID } from 'node:crypto';
import type { Datastore, Transaction } from '../datastore/datastore.ts';
import { StorageUnavailable } from '../datastore/failures.ts';
import { Claim } from '../datastore/idempotency.ts';
import type { UsageDay, UsageMinute } from '../datastore/usage.ts';
import { MINUTE_MS, MINUTES_A_DAY } from '../domain/durations.ts';
import type { Caller } from '../domain/key.ts';
import type { LoggedRequest } from '../domain/logs/request.ts';
import { NO_WORKSPACE } from '../domain/workspace.ts';
import type { Clock } from '../lib/clock.ts';
import type { RequestLog } from './logs/request-log.ts';
import { PeriodicRun } from './periodic-run.ts';

type Outcome = 'admitted' | 'refused' | 'failed';

interface KeyUsage {
  workspaceId: number;
  lastUsedAt: number;
  /** Admitted and refused ones. */
  requests: number;
  refused: number;
  /** By operation id. */
  operations: Map<string, UsageDay>;
}

/** The usage of keys within one minute. */
interface UsageBatch {
  id: string;
  minute: number;
  keys: Map<string, KeyUsage>;
  /** How many rows of usage by day it has. */
  rows: number;
}

const FLUSH_MS = 4_000;
/** A batch of more rows might not be written within the time that a transaction has. Each has at most as many keys. */
const BATCH_ROWS_MAX = 1_000;
/** What a node keeps while it cannot write. Beyond that the oldest batch is dropped. */
const WAITING_MAX = 200;
/** After this many failures in a flush, the rest waits for the next. */
const FAILURES_MAX = 3;
export const HISTORY_DAYS = 30;
const MINUTES_KEPT = 25 * 60;

export class UsageRecorder {
  readonly #store: Datastore;
  readonly #clock: Clock;
  readonly #flushes: PeriodicRun;
  #batch: UsageBatch = newBatch(0);
  /** Batches to be written, oldest first. */
  #waiting: UsageBatch[] = [];
  readonly #onFailure: (err: unknown) => void;
  readonly #requests: RequestLog | undefined;

  constructor(
    store: Datastore,
    clock: Clock,
    onFailure: (err: unknown) => void,
    requests?: RequestLog,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#onFailure = onFailure;
    this.#requests = requests;
    this.#flushes = new PeriodicRun(() => this.#write(), { everyMs: FLUSH_MS, onFailure });
    void this.#flushes.start();
  }

  /** Counts a request, and the key as used. */
  count(caller: Caller, operationId: string, outcome: Outcome): void {
    const now = this.#clock.now();
    const key = this.#keyAt(caller, now);
    let usage = key.operations.get(operationId);
    if (!usage) {
      const day = Math.floor(this.#batch.minute / MINUTES_A_DAY);
      const none = { admitted: 0, refused: 0, failed: 0, lastAt: 0 };
      usage = { day, keyId: caller.keyId, operationId, ...none };
      key.operations.set(operationId, usage);
      this.#batch.rows += 1;
    }
    usage[outcome] += 1;
    if (outcome !== 'failed') key.requests += 1;
    if (outcome === 'refused') key.refused += 1;
    if (outcome === 'admitted') usage.lastAt = now;
  }

  /** Counts the key as used. */
  touch(caller: Caller): void {
    this.#keyAt(caller, this.#clock.now());
  }

  /** Writes all that was counted before this call. */
  flush(): Promise<void> {
    return this.#flushes.run();
  }

  async close(): Promise<void> {
    await this.#flushes.stop();
    await this.flush().catch(this.#onFailure);
  }

  #keyAt({ keyId, workspaceId }: Caller, now: number): KeyUsage {
    const minute = Math.floor(now / MINUTE_MS);
    const { rows, keys } = this.#batch;
    const isFull = rows >= BATCH_ROWS_MAX || keys.size >= BATCH_ROWS_MAX;
    if (isFull || minute !== this.#batch.minute) this.#begin(minute);
    let key = this.#batch.keys.get(keyId);
    if (!key) {
      key = { workspaceId, lastUsedAt: now, requests: 0, refused: 0, operations: new Map() };
      this.#batch.keys.set(keyId, key);
    }
    key.lastUsedAt = now;
    return key;
  }

  #begin(minute: number): void {
    if (this.#batch.keys.size > 0) this.#waiting.push(this.#batch);
    this.#batch = newBatch(minute);
    if (this.#waiting.length <= WAITING_MAX) return;
    this.#waiting.shift();
    this.#onFailure(new Error('usage was dropped: too much waits to be written'));
  }

  /** A batch that cannot be written waits behind the others, so it does not hold them up. */
  async #write(): Promise<void> {
    this.#begin(this.#batch.minute);
    const failures: unknown[] = [];
    const batches = this.#waiting.length;
    const rounds = Math.max(batches, this.#requests?.batches ?? 0);
    for (let round = 0; round < rounds && failures.length < FAILURES_MAX; round++) {
      const batch = round < batches ? this.#waiting.shift() : undefined;
      const requests = this.#requests?.oldest() ?? [];
      try {
        await this.#writeTogether(batch, requests);
      } catch (err) {
        failures.push(err);
        const isWritten = await this.#writeWithout(requests, batch, err);
        if (batch && !isWritten) this.#waiting.push(batch);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Requests that the database refuses, while it takes what was to be written with them, are dropped: otherwise nothing would
   * be written any more. Returns whether the batch was written.
   */
  async #writeWithout(
    requests: readonly LoggedRequest[],
    batch: UsageBatch | undefined,
    err: unknown,
  ): Promise<boolean> {
    if (requests.length === 0 || err instanceof StorageUnavailable) return false;
    try {
      await this.#writeTogether(batch, []);
    } catch {
      return false;
    }
    this.#requests?.drop(requests.length);
    return true;
  }

  async #writeTogether(batch: UsageBatch | undefined, requests: readonly LoggedRequest[]) {
    const now = this.#clock.now();
    await this.#store.transact(async (tx) => {
      if (requests.length > 0) await tx.requestLog.add(requests);
      if (batch) await writeBatchOnce(tx, batch, now);
    });
    this.#requests?.remove(requests.length);
  }
}

/** The oldest day and the oldest minute that a report may need. */
export function oldestUsage(now: number): { day: number; minute: number } {
  const minute = Math.floor(now / MINUTE_MS);
  return { day: Math.floor(minute / MINUTES_A_DAY) - HISTORY_DAYS, minute: minute - MINUTES_KEPT };
}

function newBatch(minute: number): UsageBatch {
  return { id: randomUUID(), minute, keys: new Map(), rows: 0 };
}

async function writeBatchOnce(tx: Transaction, batch: UsageBatch, now: number): Promise<void> {
  const key = `usage ${batch.id}`;
  const claim = await tx.idempotency.claim(NO_WORKSPACE, key, '', now);
  if (!(claim instanceof Claim)) return;
  await writeBatch(tx, batch);
  await claim.store({ status: 204, headers: {}, body: '' });
}

/** Every node writes in the same order, so that no two wait for each other's rows. */
async function writeBatch(tx: Transaction, { minute, keys }: UsageBatch): Promise<void> {
  const sorted = sortedByKey(keys);
  for (const [, { workspaceId, operations }] of sorted) {
    for (const [, usage] of sortedByKey(operations)) await tx.usage.addDay(workspaceId, usage);
  }
  const minutes = new Map<number, UsageMinute>();
  for (const [, { workspaceId, requests, refused }] of sorted) {
    const usage = minutes.get(workspaceId) ?? { minute, requests: 0, refused: 0 };
    usage.requests += requests;
    usage.refused += refused;
    minutes.set(workspaceId, usage);
  }
  for (const [workspaceId, usage] of sortedByKey(minutes)) {
    if (usage.requests > 0) await tx.usage.addMinute(workspaceId, usage);
  }
  for (const [keyId, { lastUsedAt }] of sorted) await tx.keys.touch(keyId, lastUsedAt);
}

function sortedByKey<K extends string | number, V>(map: Map<K, V>): [K, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
