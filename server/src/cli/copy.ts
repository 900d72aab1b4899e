import { existsSync, realpathSync } from 'node:fs';
import type { Datastore } from '../datastore/datastore.ts';
import { copyStore } from '../services/maintenance/copy.ts';
import { openStoreAlone } from '../stores.ts';
import { type Printer, type Run, UsageError } from './command.ts';
import { plural } from './plural.ts';
import { Progress } from './progress.ts';

export const copy: Run = async ({ options, print }) => {
  if (realPlace(options.from!) === realPlace(options.to!)) {
    throw new UsageError('--from and --to name the same database');
  }
  const opened = new AsyncDisposableStack();
  try {
    const from = opened.use(await openStoreAlone(options.from!, { mayCreate: false }));
    const to = opened.use(await openStoreAlone(options.to!));
    return await copyAndCompare(from.store, to.store, print);
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
