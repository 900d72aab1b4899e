import type { TestClock } from '../support/app.ts';

/** Lets clients wait on a stopped clock. Once all of them wait, the clock moves to the first wake-up. */
export class VirtualWait {
  readonly #clock: TestClock;
  readonly #sleepers = new Set<{ until: number; wake: () => void }>();
  #clients: number;
  waits = 0;

  constructor(clock: TestClock, clients: number) {
    this.#clock = clock;
    this.#clients = clients;
  }

  readonly wait = (milliseconds: number): Promise<void> => {
    this.waits += 1;
    return new Promise((wake) => {
      this.#sleepers.add({ until: this.#clock.now() + milliseconds, wake });
    });
  };

  /** One client is done. */
  leave(): void {
    this.#clients -= 1;
  }

  async run(): Promise<void> {
    while (this.#clients > 0) {
      if (this.#sleepers.size === this.#clients) this.#wakeNext();
      await new Promise(setImmediate);
    }
  }

  #wakeNext(): void {
    const next = Math.min(...[...this.#sleepers].map(({ until }) => until));
    this.#clock.advance(Math.ceil(next - this.#clock.now()));
    for (const sleeper of this.#sleepers) {
      if (sleeper.until > this.#clock.now()) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}
