import type { Datastore } from '../datastore/datastore.ts';
import { readMigrations } from '../datastore/migrations.ts';
import { systemClock } from '../lib/clock.ts';
import { recordRun } from '../services/logs/audit.ts';
import { openStore } from '../stores.ts';
import type { Run } from './command.ts';
import { authoredStore } from './on-store.ts';

export const migrate: Run = async ({ config, print }) => {
  const { store, applied } = await openStore(config);
  try {
    await recordUpgrade(authoredStore(store), applied);
  } finally {
    await store.close();
  }
  print({ applied }, applied.length > 0 ? applied : ['the database is up to date']);
  return 0;
};

/** Writes the row of an upgrade into the audit log. A database that is new stays empty, so that it can be the target of a copy. */
export async function recordUpgrade(store: Datastore, applied: readonly string[]): Promise<void> {
  if (applied.length === 0 || applied[0] === readMigrations()[0]!.name) return;
  await store.transact((tx) => recordRun(tx, 'server migrate', systemClock.now()));
}
