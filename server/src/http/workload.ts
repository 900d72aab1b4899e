type WorkKind = 'read' | 'write';

/** Counts the requests whose handlers are running. Reads are counted apart: writes that wait must not shed them. */
export class Workload {
  readonly #running = { read: 0, write: 0 };
  readonly #runningMax: number;

  /**
   * With more requests of a kind running than `runningMax` storage cannot keep up, and each further one would only add
   * to the wait of all. The default is far above what a healthy service ever runs at once.
   */
  constructor({ runningMax = 4_096 }: { runningMax?: number } = {}) {
    this.#runningMax = runningMax;
  }

  isFull(kind: WorkKind): boolean {
    return this.#running[kind] >= this.#runningMax;
  }

  start(kind: WorkKind): void {
    this.#running[kind] += 1;
  }

  end(kind: WorkKind): void {
    this.#running[kind] -= 1;
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

export function workKindOf({ kind }: { kind: WorkKind | 'action' }): WorkKind {
  return kind === 'read' ? 'read' : 'write';
}
