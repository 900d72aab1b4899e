// Events that are emitted once a UTC day: a limit that is nearly or wholly used, and the use of a deprecated operation. A request
// only leaves a note; notes are written a few seconds later. Several nodes may note the same, so the database decides
// which note is the first of its day.

import type { Datastore, Transaction } from '../../datastore/datastore.ts';
import { DAY_MS } from '../../domain/durations.ts';
import type { EventType } from '../../domain/event.ts';
import type { Caller } from '../../domain/key.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Verdict } from '../../limits/limiter.ts';
import type { WindowView } from '../../limits/window.ts';
import { PeriodicRun } from '../periodic-run.ts';
import type { Deprecations } from '../usage-report.ts';
import { emit } from './emit.ts';

interface Note {
  /** In days since the epoch. */
  day: number;
  /** Identifies the event among those of its workspace and day. */
  name: string;
  workspaceId: number;
  keyId: string;
  at: number;
  type: EventType;
  data: object;
}

interface DailyEventsOptions {
  store: Datastore;
  clock: Clock;
  deprecations: Deprecations;
  onFailure: (err: unknown) => void;
}

const FLUSH_MS = 4_000;
/** What a node keeps while it cannot write. Beyond that nothing is noted, until the next request of its key. */
export const NOTES_MAX = 10_000;
/** Of how many keys it is known what was noted. What is noted again is not emitted again: the database decides. */
const KEYS_MAX = 100_000;
/** `limit.warning` is emitted when this share of the day's requests is left. */
const WARNING_SHARE_LEFT = 0.2;
const WARNING = ['limit.warning'] as const;
const BOTH_LIMITS = ['limit.warning', 'limit.reached'] as const;

export class DailyEvents {
  readonly #options: DailyEventsOptions;
  readonly #flushes: PeriodicRun;
  /** The names of what was noted today, by key, whether it is written yet or not. */
  #noted = new Map<string, Set<string>>();
  #day = 0;
  #waiting = new Map<string, Note>();

  constructor(options: DailyEventsOptions) {
    this.#options = options;
    const { onFailure } = options;
    this.#flushes = new PeriodicRun(() => this.#write(), { everyMs: FLUSH_MS, onFailure });
    void this.#flushes.start();
  }

  /** Call it for every request of a key, once its verdict is final. */
  note(caller: Caller, operationId: string | undefined, verdict: Verdict): void {
    const day = verdict.windows[1];
    if (day && day.remaining <= day.limit * WARNING_SHARE_LEFT) this.#noteLimit(caller, day);
    if (operationId && !verdict.refusal) this.#noteDeprecation(caller, operationId);
  }

  /** Writes all that was noted before this call. */
  flush(): Promise<void> {
    return this.#flushes.run();
  }

  async close(): Promise<void> {
    await this.#flushes.stop();
    await this.flush().catch(this.#options.onFailure);
  }

  #noteLimit(caller: Caller, { limit: max, remaining, resetAt }: WindowView): void {
    // The day may have ended since the verdict. Noted now, its event would suppress that of the new day.
    if (resetAt <= this.#options.clock.now()) return;
    for (const type of remaining <= 0 ? BOTH_LIMITS : WARNING) {
      if (!this.#markNoted(caller, type)) continue;
      const data = { limit: 'day', used: max - remaining, max, resetAt };
      this.#add(caller, type, { type, data });
    }
  }

  #noteDeprecation(caller: Caller, operationId: string): void {
    const deprecation = this.#options.deprecations.get(operationId);
    if (!deprecation || !this.#markNoted(caller, operationId)) return;
    const data = { operationId, ...deprecation };
    this.#add(caller, `deprecation.used ${caller.keyId} ${operationId}`, {
      type: 'deprecation.used',
      data,
    });
  }

  /** Returns whether it is the first of its day for this key and name. Most are not, so it builds no text. */
  #markNoted({ keyId }: Caller, name: string): boolean {
    const day = Math.floor(this.#options.clock.now() / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#noted = new Map();
    }
    const names = this.#noted.get(keyId) ?? new Set();
    if (names.has(name) || this.#waiting.size >= NOTES_MAX) return false;
    if (this.#noted.size >= KEYS_MAX) this.#noted.clear();
    this.#noted.set(keyId, names.add(name));
    return true;
  }

  #add(caller: Caller, name: string, event: Pick<Note, 'type' | 'data'>): void {
    const { workspaceId, keyId } = caller;
    const day = this.#day;
    const id = `${day} ${workspaceId} ${name}`;
    // Another key of the workspace may have come first.
    if (this.#waiting.has(id)) return;
    const at = this.#options.clock.now();
    this.#waiting.set(id, { day, name, workspaceId, keyId, at, ...event });
  }

  /** What could not be written waits for the next flush. */
  async #write(): Promise<void> {
    for (const [id, note] of [...this.#waiting]) {
      await this.#options.store.transact((tx) => write(tx, note));
      this.#waiting.delete(id);
    }
  }
}

async function write(tx: Transaction, note: Note): Promise<void> {
  const { day, name, workspaceId, keyId, at, type, data } = note;
  if (!(await tx.events.claimFirstOfDay(workspaceId, day, name))) return;
  await emit(tx, { caller: { workspaceId, keyId }, now: at }, { type, data });
}
