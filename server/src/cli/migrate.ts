import { openStore } from '../stores.ts';
import type { Run } from './command.ts';

export const migrate: Run = async ({ config, print }) => {
  const { store, applied } = await openStore(config);
  await store.close();
  print({ applied }, applied.length > 0 ? applied : ['the database is up to date']);
  return 0;
};
