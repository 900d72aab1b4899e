interface Step {
  at: number;
  run: () => Promise<void>;
}

/** A clock that jumps from one planned step to the next. */
export class Timeline {
  /** Latest first. */
  readonly #steps: Step[] = [];
  readonly #to: number;
  now: number;

  constructor({ from, to }: { from: number; to: number }) {
    this.now = from;
    this.#to = to;
  }

  /** Plans a step, also during another one. A step that is due after the end does not happen. */
  plan(at: number, run: () => Promise<void>): void {
    if (at < this.now || at > this.#to) return;
    this.#steps.splice(this.#indexOf(at), 0, { at: Math.floor(at), run });
  }

  /** Behind all later steps, in halves: a large store has tens of thousands of steps. */
  #indexOf(at: number): number {
    let [from, to] = [0, this.#steps.length];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if (this.#steps[middle]!.at > at) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      this.now = step.at;
      await step.run();
    }
  }
}
