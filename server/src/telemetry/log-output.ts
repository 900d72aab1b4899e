import { destination } from 'pino';

const FLUSH_MS = 200;
/** Handing a write to a thread costs more than the lines in it, so many go together. */
const TOGETHER_LENGTH = 16_000;
/** What waits to be written while the log cannot be; beyond it, lines are dropped. */
const WAITING_BYTES_MAX = 1024 * 1024;

/**
 * Where the log goes. What writes it measures all that is waiting whenever it is given something, so the lines are
 * put together here, which costs next to nothing, and given to it in large pieces.
 */
export class LogOutput {
  readonly #out: ReturnType<typeof destination>;
  readonly #flusher: NodeJS.Timeout;
  #lines = '';

  constructor(fd: number) {
    this.#out = destination({ fd, sync: false, maxLength: WAITING_BYTES_MAX });
    // A full log volume is no reason to stop serving; what waits is written when there is room again.
    this.#out.on('error', () => undefined);
    this.#flusher = setInterval(() => this.flush(), FLUSH_MS).unref();
  }

  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length >= TOGETHER_LENGTH) this.#handOver();
  }

  flush(): void {
    this.#handOver();
    this.#out.flush();
  }

  flushSync(): void {
    this.#handOver();
    this.#out.flushSync();
  }

  close(): void {
    clearInterval(this.#flusher);
    this.flushSync();
  }

  #handOver(): void {
    if (this.#lines === '') return;
    this.#out.write(this.#lines);
    this.#lines = '';
  }
}
