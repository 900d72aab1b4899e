const WIDTH = 30;

/** A progress bar on a terminal. Elsewhere it prints a line for every tenth. */
export class Progress {
  readonly #name: string;
  readonly #total: number;
  readonly #startedAt = performance.now();
  #tenths = 0;

  constructor(name: string, total: number) {
    this.#name = name;
    this.#total = total;
  }

  show(done: number, note = ''): void {
    // Cuts go on while the last node restarts, so there may be more than were asked for.
    const share = Math.min(1, done / this.#total);
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const left = done > 0 ? `${Math.round(seconds / share - seconds)} s left` : '';
    const text = [this.#name, `${done}/${this.#total}`, note, left].filter(Boolean).join(' ');
    if (process.stderr.isTTY) {
      const filled = Math.round(share * WIDTH);
      const bar = `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}]`;
      process.stderr.write(`\r${bar} ${text}\x1b[K`);
    } else if (Math.floor(share * 10) > this.#tenths) {
      this.#tenths = Math.floor(share * 10);
      process.stderr.write(`${text}\n`);
    }
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }
}

const FAULTS_SHOWN = 20;

/** Ends a part: prints its first faults and one line, and says whether it has none. */
export function conclude(progress: Progress, summary: string, faults: readonly string[]): boolean {
  progress.end();
  for (const fault of faults.slice(0, FAULTS_SHOWN)) console.error(`  ${fault}`);
  console.log(`${summary}; ${faults.length} faults`);
  return faults.length === 0;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
