interface WorkloadOptions {
  runningMax: number;
}

/** Counts the requests whose handlers are running. */
export class Workload {
  running = 0;
  readonly #runningMax: number;

  /**
   * With more requests running than `runningMax` storage cannot keep up, and each further one would only add to
   * the wait of all. The default is far above what a healthy service ever runs at once.
   */
  constructor({ runningMax }: WorkloadOptions = { runningMax: 4_096 }) {
    this.#runningMax = runningMax;
  }

  get isFull(): boolean {
    return this.running >= this.#runningMax;
  }
}
