import type { Counters } from '../../domain/plan.ts';
import type { Clock } from '../../lib/clock.ts';
import type { LimitStore } from '../limiter.ts';
import { unopenedCounters } from '../window.ts';
import { isGranted } from './grant.ts';

export interface WrittenCounters {
  counters: Counters;
  /** The counters that the database has. */
  granted: Counters;
  /** A workspace has one write under way at a time, so that none overtakes a newer one. */
  saving: Promise<boolean> | undefined;
}

interface CounterWriterOptions {
  store: LimitStore;
  clock: Clock;
  onStoreFailure: (err: unknown) => void;
  /** By workspace id. */
  workspaces: ReadonlyMap<number, WrittenCounters>;
}

const RETRY_MS = 1_000;

/** Writes counters to the database. While it fails, one write a second is tried. */
export class CounterWriter {
  readonly #options: CounterWriterOptions;
  #isFailing = false;
  #failedAt = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: CounterWriterOptions) {
    this.#options = options;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** True for a second after a failure. */
  hasJustFailed(): boolean {
    return this.#isFailing && Math.abs(this.#options.clock.now() - this.#failedAt) < RETRY_MS;
  }

  /** Never rejects. Resolves to false when the counters were not written. */
  write(workspaceId: number, written: WrittenCounters, counters: Counters): Promise<boolean> {
    const saving = this.#write(workspaceId, written, counters).finally(() => {
      written.saving = undefined;
    });
    written.saving = saving;
    return saving;
  }

  close(): void {
    clearTimeout(this.#retry);
  }

  async #write(workspaceId: number, written: WrittenCounters, counters: Counters) {
    try {
      await this.#options.store.saveCounters(workspaceId, counters);
      written.granted = counters;
      this.#isFailing = false;
      return true;
    } catch (err) {
      // What the database has is unknown now, so nothing is granted.
      written.granted = unopenedCounters();
      this.#reportFailure(err);
      return false;
    }
  }

  /** Many workspaces may fail at once; that is reported once a second. */
  #reportFailure(err: unknown): void {
    const isKnown = this.hasJustFailed();
    this.#isFailing = true;
    this.#retry ??= setTimeout(() => void this.#writeUnsaved(), RETRY_MS).unref();
    if (isKnown) return;
    this.#failedAt = this.#options.clock.now();
    this.#options.onStoreFailure(err);
  }

  /** Writes without waiting for a request, so that a crash after the database is back loses no counts. */
  async #writeUnsaved(): Promise<void> {
    this.#retry = undefined;
    for (const [workspaceId, written] of this.#options.workspaces) {
      if (written.saving || isGranted(written.counters, written.granted, 0)) continue;
      if (!(await this.write(workspaceId, written, { ...written.counters }))) return;
    }
  }
}
