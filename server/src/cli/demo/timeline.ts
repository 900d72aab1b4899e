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
    const later = this.#steps.findLastIndex((step) => step.at > at);
    this.#steps.splice(later + 1, 0, { at: Math.floor(at), run });
  }

  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      this.now = step.at;
      await step.run();
    }
  }
}
