import { openStore } from '../stores.ts';
import type { Run } from './command.ts';
import { showProgress } from './progress.ts';

export const migrate: Run = async ({ config, print }) => {
  let isShown = false;
  const { store, applied } = await openStore(config, {
    onMigration: ({ done, total, what }) => {
      isShown = true;
      showProgress(done, total, what);
    },
  });
  if (isShown) process.stderr.write('\n');
  await store.close();
  print({ applied }, applied.length > 0 ? applied : ['the database is up to date']);
  return 0;
};
