import { existsSync, realpathSync } from 'node:fs';
import type { Datastore } from '../datastore/datastore.ts';
import { copyStore } from '../services/maintenance/copy.ts';
import { openStoreAlone } from '../stores.ts';
import { type Printer, plural, type Run, UsageError } from './command.ts';
import { authoredStore } from './on-store.ts';

export const copy: Run = async ({ options, print }) => {
  if (realPlace(options.from!) === realPlace(options.to!)) {
    throw new UsageError('--from and --to name the same database');
  }
  const opened = new AsyncDisposableStack();
  try {
    const from = opened.use(await openStoreAlone(options.from!, { mayCreate: false }));
    const to = opened.use(await openStoreAlone(options.to!));
    return await copyAndCompare(authoredStore(from.store), to.store, print);
  } finally {
    await opened.disposeAsync();
  }
};

/** One folder may have several paths. */
function realPlace(place: string): string {
  return existsSync(place) ? realpathSync(place) : place;
}

async function copyAndCompare(from: Datastore, to: Datastore, print: Printer): Promise<number> {
  const progress = new Progress();
  const result = await copyStore(from, to, ({ table, step, done, total }) =>
    progress.show(done, total, `${step} ${table}`),
  ).finally(() => progress.end());
  const { equal, differences } = result;
  const isEqual = differences.length === 0;
  const verdict = isEqual
    ? [`${plural(equal, 'row')} compared: the databases are equal`]
    : ['the databases differ:', ...differences];
  print(result, verdict);
  return isEqual ? 0 : 1;
}

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
