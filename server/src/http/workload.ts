type WorkKind = 'read' | 'write';

interface WorkloadOptions {
  /** With more requests of a kind running than this, each further one would only add to the wait of all. */
  runningMax?: number;
  /** Milliseconds that never go back. */
  now?: () => number;
}

/** How long a request may wait for those before it. Storage rejects what has waited for a second. */
const WAIT_MS = 600;
const WINDOW_MS = 250;
/** The windows of the last second. */
const WINDOWS = 4;
/** So many requests of a kind are always admitted. A service that keeps up runs fewer at once. */
const RUNNING_MIN = 128;

/**
 * Counts the requests whose handlers are running, and decides how many may. Reads are counted apart: writes that wait must
 * not shed them. While a service keeps up, it admits far more than it ever runs. While requests have been waiting all the
 * time, what was completed in the last second is all that the service can do: then it admits what it can do within WAIT_MS.
 * Every further request is refused at once instead of waiting until it fails.
 */
export class Workload {
  readonly #now: () => number;
  readonly #kinds: Record<WorkKind, Meter>;

  constructor({ runningMax = 4_096, now = () => performance.now() }: WorkloadOptions = {}) {
    this.#now = now;
    this.#kinds = { read: new Meter(runningMax, now()), write: new Meter(runningMax, now()) };
  }

  isFull(kind: WorkKind): boolean {
    return this.#kinds[kind].isFull(this.#now());
  }

  start(kind: WorkKind): void {
    this.#kinds[kind].start();
  }

  end(kind: WorkKind): void {
    this.#kinds[kind].end();
  }

  /** Runs the part of a started request that waits, for events or a receiver, and does not count the request meanwhile. */
  async pause<T>(kind: WorkKind, wait: () => Promise<T>): Promise<T> {
    this.end(kind);
    try {
      return await wait();
    } finally {
      this.start(kind);
    }
  }
}

/** The requests of one kind. */
class Meter {
  readonly #runningMax: number;
  #limit: number;
  #running = 0;
  #windowStart: number;
  /** In the window so far. */
  #completed = 0;
  #leastRunning = 0;
  /** The last windows in which requests were waiting all the time. */
  #behind: { ms: number; completed: number }[] = [];

  constructor(runningMax: number, now: number) {
    this.#runningMax = runningMax;
    this.#limit = runningMax;
    this.#windowStart = now;
  }

  start(): void {
    this.#running += 1;
  }

  end(): void {
    this.#running -= 1;
    this.#completed += 1;
    if (this.#running < this.#leastRunning) this.#leastRunning = this.#running;
  }

  isFull(now: number): boolean {
    if (now - this.#windowStart >= WINDOW_MS) this.#beginWindow(now);
    return this.#running >= this.#limit;
  }

  #beginWindow(now: number): void {
    const window = { ms: now - this.#windowStart, completed: this.#completed };
    const isBehind = this.#leastRunning >= RUNNING_MIN;
    this.#behind = isBehind ? [...this.#behind, window].slice(-WINDOWS) : [];
    this.#limit = Math.min(this.#runningMax, isBehind ? this.#fitting() : Infinity);
    this.#windowStart = now;
    this.#completed = 0;
    this.#leastRunning = this.#running;
  }

  #fitting(): number {
    const sumOf = (name: 'ms' | 'completed') => this.#behind.reduce((sum, w) => sum + w[name], 0);
    return Math.max(RUNNING_MIN, Math.floor((sumOf('completed') / sumOf('ms')) * WAIT_MS));
  }
}

export function workKindOf({ kind }: { kind: WorkKind | 'action' }): WorkKind {
  return kind === 'read' ? 'read' : 'write';
}
