// Counts what is used, in memory, and writes it in batches: a request pays for two map look-ups. Nothing
// is lost on a clean stop, and what a report has shown was written before it was shown.

import type { Datastore, Transaction } from '../datastore/datastore.ts';
import type { UsageDay } from '../datastore/usage.ts';
import type { Caller } from '../domain/key.ts';
import type { Clock } from '../lib/clock.ts';

export type Outcome = 'admitted' | 'refused' | 'failed';

/** `lastAt` is that of the last one that was admitted. */
interface Tally extends UsageDay {
  workspaceId: number;
}

interface Batch {
  tallies: Map<string, Tally>;
  /** Requests by workspace and minute. */
  minutes: Map<string, { workspaceId: number; minute: number; requests: number }>;
  lastUsed: Map<string, number>;
}

const FLUSH_MS = 4_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
export const HISTORY_DAYS = 30;
const MINUTES_KEPT = 25 * 60;

export class UsageRecorder {
  readonly #store: Datastore;
  readonly #clock: Clock;
  readonly #onFailure: (err: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #batch = emptyBatch();
  #flushing: Promise<void> = Promise.resolve();

  constructor(store: Datastore, clock: Clock, onFailure: (err: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => void this.flush().catch(onFailure), FLUSH_MS).unref();
  }

  count({ workspaceId, keyId }: Caller, operationId: string, outcome: Outcome): void {
    const now = this.#clock.now();
    const day = Math.floor(now / DAY_MS);
    const { tallies, minutes } = this.#batch;
    const name = `${keyId} ${operationId} ${day}`;
    let tally = tallies.get(name);
    if (!tally) {
      const none = { admitted: 0, refused: 0, failed: 0, lastAt: 0 };
      tally = { workspaceId, day, keyId, operationId, ...none };
      tallies.set(name, tally);
    }
    tally[outcome] += 1;
    if (outcome === 'failed') return;
    if (outcome === 'admitted') tally.lastAt = now;
    const minute = Math.floor(now / MINUTE_MS);
    const slot = `${workspaceId} ${minute}`;
    const counted = minutes.get(slot);
    if (counted) counted.requests += 1;
    else minutes.set(slot, { workspaceId, minute, requests: 1 });
  }

  /** Remembers that the key was used, whatever for. */
  touch(keyId: string): void {
    this.#batch.lastUsed.set(keyId, this.#clock.now());
  }

  /** Writes all that was counted before this call; one write at a time, in order. */
  flush(): Promise<void> {
    const flushed = this.#flushing.then(() => this.#write());
    this.#flushing = flushed.catch(() => undefined);
    return flushed;
  }

  /** Throws away what is older than any report looks. */
  async forgetOld(): Promise<void> {
    const now = this.#clock.now();
    const day = Math.floor(now / DAY_MS) - HISTORY_DAYS;
    const minute = Math.floor(now / MINUTE_MS) - MINUTES_KEPT;
    await this.#store.transact((tx) => tx.usage.forgetBefore(day, minute));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush().catch(this.#onFailure);
  }

  async #write(): Promise<void> {
    const batch = this.#batch;
    if (batch.tallies.size === 0 && batch.lastUsed.size === 0) return;
    this.#batch = emptyBatch();
    try {
      await this.#store.transact((tx) => writeBatch(tx, batch));
    } catch (err) {
      this.#restore(batch);
      throw err;
    }
  }

  /** What could not be written is counted again with what came since. */
  #restore(batch: Batch): void {
    for (const [name, tally] of batch.tallies) {
      const since = this.#batch.tallies.get(name);
      if (!since) this.#batch.tallies.set(name, tally);
      else {
        since.admitted += tally.admitted;
        since.refused += tally.refused;
        since.failed += tally.failed;
        since.lastAt = Math.max(since.lastAt, tally.lastAt);
      }
    }
    for (const [slot, counted] of batch.minutes) {
      const since = this.#batch.minutes.get(slot);
      if (!since) this.#batch.minutes.set(slot, counted);
      else since.requests += counted.requests;
    }
    for (const [keyId, at] of batch.lastUsed) {
      if (!this.#batch.lastUsed.has(keyId)) this.#batch.lastUsed.set(keyId, at);
    }
  }
}

function emptyBatch(): Batch {
  return { tallies: new Map(), minutes: new Map(), lastUsed: new Map() };
}

/** In one order on every node, so that two of them never wait for each other's rows. */
async function writeBatch(tx: Transaction, batch: Batch): Promise<void> {
  for (const [, { workspaceId, ...tally }] of inOrder(batch.tallies)) {
    await tx.usage.addDay(workspaceId, tally);
  }
  for (const [, { workspaceId, ...counted }] of inOrder(batch.minutes)) {
    await tx.usage.addMinute(workspaceId, counted);
  }
  for (const [keyId, at] of inOrder(batch.lastUsed)) await tx.keys.touch(keyId, at);
}

function inOrder<V>(map: Map<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
