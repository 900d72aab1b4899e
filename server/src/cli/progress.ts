const BAR_WIDTH = 30;

/** Shows progress in one line on standard error, which each call overwrites. */
export function showProgress(done: number, total: number, what: string): void {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const bar = '#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '.');
  const percent = String(Math.round(share * 100)).padStart(3);
  process.stderr.write(`\r[${bar}] ${percent} %  ${what}`.padEnd(70));
}
