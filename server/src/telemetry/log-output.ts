import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { destination } from 'pino';

const FLUSH_MS = 200;
/** Passing a write to a thread costs more than the lines in it, so many go together. */
const WRITE_LENGTH = 16_000;
/** What waits while the log cannot be written; beyond it, lines are dropped. */
const WAITING_BYTES_MAX = 1024 * 1024;
/** How long a stop waits for the log to be written. */
const CLOSE_MS = 1_000;

/**
 * Where the log goes. Lines are joined here because pino's own buffer (`minLength`) measures all that waits at each
 * line (ADR 8). The coalescer would not do: it ends a batch with its tick, and these lines wait for more, or for the
 * next flush.
 */
export class LogOutput {
  readonly #fd: number;
  readonly #out: ReturnType<typeof destination>;
  readonly #flushing: NodeJS.Timeout;
  #lines: string[] = [];
  #length = 0;
  #isClosed = false;

  constructor(fd: number) {
    this.#fd = fd;
    this.#out = destination({ fd, sync: false, maxLength: WAITING_BYTES_MAX });
    // A full log volume is no reason to stop serving; what waits is written when there is room again.
    this.#out.on('error', () => undefined);
    this.#flushing = setInterval(() => this.flush(), FLUSH_MS).unref();
  }

  /** The newest line waits here until the next flush: `closeNow` tries with it whether the log can be written. */
  write(line: string): void {
    if (this.#length >= WRITE_LENGTH) this.#passOn();
    this.#lines.push(line);
    this.#length += line.length;
  }

  flush(): void {
    this.#passOn();
    if (!this.#isClosed) this.#out.flush();
  }

  /** Writes what waits, if it can be written. */
  async close(): Promise<void> {
    this.#passOn();
    this.#isClosed = true;
    const closed = once(this.#out, 'close').catch(() => undefined);
    this.#out.end();
    await Promise.race([closed, setTimeout(CLOSE_MS)]);
    this.#destroy();
  }

  /**
   * For a process that ends now: writes what waits. pino's `flushSync`, which also runs at exit unless its output is
   * destroyed, retries for ever while the volume is full. So the newest lines are written first, to see whether it is.
   * If there are none since the last flush, only the write that is under way is completed.
   */
  closeNow(): void {
    try {
      if (writeSync(this.#fd, this.#lines.join('')) > 0) this.#out.flushSync();
    } catch {
      // The log cannot be written.
    }
    this.#destroy();
  }

  /** What is logged from here on is dropped. */
  #destroy(): void {
    clearInterval(this.#flushing);
    this.#isClosed = true;
    this.#out.destroy();
  }

  #passOn(): void {
    if (this.#lines.length === 0 || this.#isClosed) return;
    this.#out.write(this.#lines.join(''));
    this.#lines = [];
    this.#length = 0;
  }
}
