import { openStore } from '../stores.ts';
import type { Run } from './command.ts';
import { Progress } from './progress.ts';

export const migrate: Run = async ({ config, print }) => {
  const progress = new Progress();
  const { store, applied } = await openStore(config, {
    onMigration: ({ done, total, what }) => progress.show(done, total, what),
  }).finally(() => progress.end());
  await store.close();
  print({ applied }, applied.length > 0 ? applied : ['the database is up to date']);
  return 0;
};
