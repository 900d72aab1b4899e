export type Release = () => void;

interface Entry {
  held: number;
  waiting: (() => void)[];
}

/** Limits how many users hold one key at the same time. Further users wait, in the order in which they came. */
export class KeyedSemaphore<K> {
  readonly #holdersMax: number;
  readonly #entries = new Map<K, Entry>();

  constructor(holdersMax: number) {
    this.#holdersMax = holdersMax;
  }

  isHeld(key: K): boolean {
    return this.#entries.has(key);
  }

  /** Undefined when the deadline, a reading of performance.now(), passes first. */
  async acquire(key: K, deadline: number): Promise<Release | undefined> {
    const entry = this.#entries.get(key) ?? { held: 0, waiting: [] };
    this.#entries.set(key, entry);
    if (entry.held < this.#holdersMax) entry.held += 1;
    else if (!(await waitFor(entry, deadline))) return undefined;
    return () => this.#release(key, entry);
  }

  /** Passes the place of the holder on to the next user that waits. */
  #release(key: K, entry: Entry): void {
    const next = entry.waiting.shift();
    if (next) {
      next();
      return;
    }
    entry.held -= 1;
    if (entry.held === 0) this.#entries.delete(key);
  }
}

function waitFor(entry: Entry, deadline: number): Promise<boolean> {
  return new Promise((resolve) => {
    const admit = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const giveUp = () => {
      entry.waiting.splice(entry.waiting.indexOf(admit), 1);
      resolve(false);
    };
    const timer = setTimeout(giveUp, Math.max(0, deadline - performance.now()));
    entry.waiting.push(admit);
  });
}
