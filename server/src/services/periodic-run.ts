interface FlushOptions {
  everyMs: number;
  /** Called when a write fails that no one has asked for. */
  onFailure: (err: unknown) => void;
}

/**
 * Writes what has gathered in memory: periodically, on demand, and before a stop. One write runs at a time, and all who ask
 * while it runs share the next.
 */
export class PeriodicFlush {
  readonly #write: () => Promise<void>;
  readonly #onFailure: (err: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(write: () => Promise<void>, { everyMs, onFailure }: FlushOptions) {
    this.#write = write;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => void this.flush().catch(onFailure), everyMs).unref();
  }

  /** Writes all that has gathered before this call. */
  flush(): Promise<void> {
    this.#next ??= this.#flushing.then(() => {
      this.#next = undefined;
      const flushed = this.#write();
      this.#flushing = flushed.catch(() => undefined);
      return flushed;
    });
    return this.#next;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush().catch(this.#onFailure);
  }
}
