import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Notes the first SIGINT or SIGTERM, so that a command can stop where it is safe. A second one ends the process. */
export class StopSignal {
  #received: NodeJS.Signals | undefined;

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#note);
  }

  /** The exit code that a shell gives to such an end, or undefined while there was no signal. */
  get exitCode(): number | undefined {
    return this.#received && 128 + constants.signals[this.#received];
  }

  /** Leaves signals to Node again. */
  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.#note);
  }

  readonly #note = (signal: NodeJS.Signals): void => {
    this.#received = signal;
    this.release();
  };
}
