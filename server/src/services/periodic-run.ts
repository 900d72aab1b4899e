interface PeriodicRunOptions {
  everyMs: number;
  /** Called when a run fails that no one has asked for. */
  onFailure: (err: unknown) => void;
}

/** Does the same work periodically and on demand. One run is under way at a time, and all who ask meanwhile share the next. */
export class PeriodicRun {
  readonly #work: () => Promise<void>;
  readonly #options: PeriodicRunOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>, options: PeriodicRunOptions) {
    this.#work = work;
    this.#options = options;
  }

  /** Runs now and periodically. Resolves when the first run has ended. While one takes longer than a period, none is added. */
  async start(): Promise<void> {
    const { everyMs, onFailure } = this.#options;
    const runIfIdle = () => {
      if (!this.#running) this.run().catch(onFailure);
    };
    this.#timer ??= setInterval(runIfIdle, everyMs).unref();
    await this.run().catch(onFailure);
  }

  /** Resolves when a run has ended that began after this call. */
  run(): Promise<void> {
    this.#next ??= (this.#running ?? Promise.resolve()).then(() => {
      this.#next = undefined;
      const run = this.#work();
      this.#running = run
        .catch(() => undefined)
        .finally(() => {
          this.#running = undefined;
        });
      return run;
    });
    return this.#next;
  }

  /** Resolves when no run is under way any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await (this.#next?.catch(() => undefined) ?? this.#running);
  }
}
