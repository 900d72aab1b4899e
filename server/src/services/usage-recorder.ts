// Counts usage in memory and writes it in batches, so that a request costs two map look-ups. A clean stop
// loses nothing, and a report writes what it shows before it shows it. A batch is written under a key of its own: if the
// outcome of a write is unknown, the batch is written again and counted once.

import { randomUUID } from 'node:crypto';
import type { Datastore, Transaction } from '../datastore/datastore.ts';
import { Claim } from '../datastore/idempotency.ts';
import type { UsageDay, UsageMinute } from '../datastore/usage.ts';
import { MINUTE_MS, MINUTES_A_DAY } from '../domain/durations.ts';
import type { Caller } from '../domain/key.ts';
import type { Clock } from '../lib/clock.ts';
import { PeriodicFlush } from './periodic-flush.ts';

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
interface Batch {
  id: string;
  minute: number;
  keys: Map<string, KeyUsage>;
}

const FLUSH_MS = 4_000;
/** A batch of more keys might not be written within the time that a transaction has. */
const BATCH_KEYS_MAX = 1_000;
export const HISTORY_DAYS = 30;
const MINUTES_KEPT = 25 * 60;
/** The owner of the keys under which batches are written. */
const NO_WORKSPACE = 0;

export class UsageRecorder {
  readonly #store: Datastore;
  readonly #clock: Clock;
  readonly #periodic: PeriodicFlush;
  #batch: Batch = newBatch(0);
  /** Batches to be written, oldest first. */
  #waiting: Batch[] = [];

  constructor(store: Datastore, clock: Clock, onFailure: (err: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#periodic = new PeriodicFlush(() => this.#write(), { everyMs: FLUSH_MS, onFailure });
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
    return this.#periodic.flush();
  }

  close(): Promise<void> {
    return this.#periodic.close();
  }

  #keyAt({ keyId, workspaceId }: Caller, now: number): KeyUsage {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#batch.minute) this.#begin(minute);
    let key = this.#batch.keys.get(keyId);
    if (!key) {
      if (this.#batch.keys.size >= BATCH_KEYS_MAX) this.#begin(minute);
      key = { workspaceId, lastUsedAt: now, requests: 0, refused: 0, operations: new Map() };
      this.#batch.keys.set(keyId, key);
    }
    key.lastUsedAt = now;
    return key;
  }

  #begin(minute: number): void {
    if (this.#batch.keys.size > 0) this.#waiting.push(this.#batch);
    this.#batch = newBatch(minute);
  }

  async #write(): Promise<void> {
    await this.#writeWaiting();
    this.#begin(this.#batch.minute);
    await this.#writeWaiting();
  }

  /** A batch that could not be written stays first. */
  async #writeWaiting(): Promise<void> {
    for (let [batch] = this.#waiting; batch; [batch] = this.#waiting) {
      const now = this.#clock.now();
      await this.#store.transact((tx) => writeBatchOnce(tx, batch!, now));
      this.#waiting.shift();
    }
  }
}

/** The oldest day and the oldest minute that a report may need. */
export function oldestUsage(now: number): { day: number; minute: number } {
  const minute = Math.floor(now / MINUTE_MS);
  return { day: Math.floor(minute / MINUTES_A_DAY) - HISTORY_DAYS, minute: minute - MINUTES_KEPT };
}

function newBatch(minute: number): Batch {
  return { id: randomUUID(), minute, keys: new Map() };
}

async function writeBatchOnce(tx: Transaction, batch: Batch, now: number): Promise<void> {
  const key = `usage ${batch.id}`;
  const claim = await tx.idempotency.claim(NO_WORKSPACE, key, '', now);
  if (!(claim instanceof Claim)) return;
  await writeBatch(tx, batch);
  await claim.store({ status: 204, headers: {}, body: '' });
}

/** Every node writes in the same order, so that no two wait for each other's rows. */
async function writeBatch(tx: Transaction, { minute, keys }: Batch): Promise<void> {
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
