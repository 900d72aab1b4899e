// Work that is worth doing once for everything that arrives in one tick of the event loop: one commit, one round
// trip, one write. Thousands of busy connections can keep the loop reading for seconds before it reaches
// the end of its tick, so the server also ends a tick that has lasted too long.

export class Coalescer {
  readonly #tickMaxMs: number;
  #callbacks: (() => void)[] = [];
  #startedAt = 0;

  /** A tick that is older than `tickMaxMs` is ended by the next request. */
  constructor({ tickMaxMs = 5 }: { tickMaxMs?: number } = {}) {
    this.#tickMaxMs = tickMaxMs;
  }

  /** Calls back at the end of the current tick. */
  atTickEnd(callback: () => void): void {
    if (this.#callbacks.push(callback) > 1) return;
    this.#startedAt = performance.now();
    setImmediate(() => this.#endTick());
  }

  /** Ends the tick if it has lasted too long. `now` is a reading of performance.now(). */
  endLongTick(now: number): void {
    if (this.#callbacks.length > 0 && now - this.#startedAt >= this.#tickMaxMs) this.#endTick();
  }

  /** Returns a function that collects items and passes those of one tick to `flush` together. */
  batch<T>(flush: (items: T[]) => void): (item: T) => void {
    let items: T[] = [];
    const end = () => {
      const batch = items;
      items = [];
      flush(batch);
    };
    return (item) => {
      if (items.push(item) === 1) this.atTickEnd(end);
    };
  }

  #endTick(): void {
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (const callback of callbacks) {
      try {
        callback();
      } catch (err) {
        // The error stays an uncaught exception. The other callbacks still run.
        queueMicrotask(() => {
          throw err;
        });
      }
    }
  }
}
