const BAR_WIDTH = 30;
const LINE_WIDTH = 70;

/** Shows on standard error how far a command is: a bar on a terminal, elsewhere a line for each tenth of each part. */
export class Progress {
  #shown = '';

  /** `note` may change with each call, `part` names what `total` counts. */
  show(done: number, total: number, part: string, note = ''): void {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const percent = Math.round(share * 100);
    const text = `%  ${[part, note].filter(Boolean).join(' ')}`;
    const shown = `${Math.floor(percent / 10)} ${part}`;
    if (process.stderr.isTTY) {
      const bar = '#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '.');
      const line = `\r[${bar}] ${String(percent).padStart(3)} ${text}`;
      process.stderr.write(line.padEnd(LINE_WIDTH));
    } else if (shown !== this.#shown) {
      process.stderr.write(`${percent} ${text}\n`);
    }
    this.#shown = shown;
  }

  /** Ends the line of the bar, so that other text can follow. */
  end(): void {
    if (process.stderr.isTTY && this.#shown !== '') process.stderr.write('\n');
    this.#shown = '';
  }
}
