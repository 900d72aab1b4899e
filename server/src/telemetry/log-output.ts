import { destination } from 'pino';

const FLUSH_MS = 200;
/** Passing a write to a thread costs more than the lines in it, so many go together. */
const WRITE_LENGTH = 16_000;
/** What waits while the log cannot be written; beyond it, lines are dropped. */
const WAITING_BYTES_MAX = 1024 * 1024;

/**
 * Where the log goes. Lines are joined here because pino's own buffer (`minLength`) measures all that waits at each
 * line (ADR 8). The coalescer would not do: it ends a batch with its tick, and these lines wait for more, or for the
 * next flush.
 */
export class LogOutput {
  readonly #out: ReturnType<typeof destination>;
  readonly #flushing: NodeJS.Timeout;
  #lines: string[] = [];
  #length = 0;

  constructor(fd: number) {
    this.#out = destination({ fd, sync: false, maxLength: WAITING_BYTES_MAX });
    // A full log volume is no reason to stop serving; what waits is written when there is room again.
    this.#out.on('error', () => undefined);
    this.#flushing = setInterval(() => this.flush(), FLUSH_MS).unref();
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length >= WRITE_LENGTH) this.#passOn();
  }

  flush(): void {
    this.#passOn();
    this.#out.flush();
  }

  flushSync(): void {
    this.#passOn();
    this.#out.flushSync();
  }

  close(): void {
    clearInterval(this.#flushing);
    this.flushSync();
  }

  #passOn(): void {
    if (this.#lines.length === 0) return;
    this.#out.write(this.#lines.join(''));
    this.#lines = [];
    this.#length = 0;
  }
}
