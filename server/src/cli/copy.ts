import { openStoreAt } from '../app.ts';
import { copyStore } from '../services/copy.ts';
import { type Options, type Printer, UsageError } from './command.ts';
import { showProgress } from './progress.ts';

/** `--from` and `--to` are a data folder or a postgres:// URL. */
export async function copyCommand(options: Options, print: Printer): Promise<number> {
  if (!options.from || !options.to)
    throw new UsageError('copy needs --from and --to: a data folder or a URL');
  const from = await openStoreAt(options.from);
  try {
    const to = await openStoreAt(options.to);
    try {
      const result = await copyStore(from.store, to.store, ({ table, step, done, total }) =>
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
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
