import { openStoreAlone } from '../app.ts';
import type { Datastore } from '../datastore/datastore.ts';
import { copyStore } from '../services/copy.ts';
import { type Options, type Printer, UsageError } from './command.ts';
import { showProgress } from './progress.ts';

/** `--from` and `--to` are a data folder or a postgres:// URL. */
export async function copyCommand(options: Options, print: Printer): Promise<number> {
  if (!options.from || !options.to)
    throw new UsageError('copy needs --from and --to: a data folder or a URL');
  const opened = new AsyncDisposableStack();
  try {
    const from = opened.use(await openStoreAlone(options.from, { mayCreate: false }));
    const to = opened.use(await openStoreAlone(options.to));
    return await copy(from.store, to.store, print);
  } finally {
    await opened.disposeAsync();
  }
}

async function copy(from: Datastore, to: Datastore, print: Printer): Promise<number> {
  const result = await copyStore(from, to, ({ table, step, done, total }) =>
    showProgress(done, total, `${step} ${table}`),
  );
  process.stderr.write('\n');
  const { equal, differences } = result;
  const verdict =
    differences.length === 0
      ? [`${equal} rows are in both, equal row by row`]
      : ['the two databases differ:', ...differences];
  print(result, verdict);
  return differences.length === 0 ? 0 : 1;
}
