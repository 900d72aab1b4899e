import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';

const RETRY_MS = 10;
/** How long a writer waits for another process. */
export const BUSY_MS = 2_000;

/** A clock that tests replace. */
interface WriteLockTime {
  now(): number;
  pause(milliseconds: number): Promise<unknown>;
}

const monotonic: WriteLockTime = { now: () => performance.now(), pause };

/**
 * Begins write transactions. Another process, such as the command line, may hold SQLite's write lock: `begin` retries
 * without blocking the event loop, and throws after BUSY_MS. From then on it throws at once while the lock is still
 * held, so that queued work does not wait once more for each group.
 */
export class WriteLock {
  readonly #begin: Database.Statement;
  readonly #time: WriteLockTime;
  #busySince = 0;
  #busySeenAt = -BUSY_MS;

  constructor(db: Database.Database, time: WriteLockTime = monotonic) {
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#time = time;
  }

  async begin(): Promise<void> {
    while (!this.#tryToBegin()) await this.#time.pause(RETRY_MS);
  }

  /** Returns false while another process holds the lock. */
  #tryToBegin(): boolean {
    try {
      this.#begin.run();
      this.#busySeenAt = -BUSY_MS;
      return true;
    } catch (err) {
      if (!isBusy(err)) throw err;
      const now = this.#time.now();
      if (now - this.#busySeenAt > BUSY_MS) this.#busySince = now;
      this.#busySeenAt = now;
      if (now - this.#busySince > BUSY_MS) throw err;
      return false;
    }
  }
}

export function isBusy(err: unknown): boolean {
  return err instanceof Database.SqliteError && err.code.startsWith('SQLITE_BUSY');
}
