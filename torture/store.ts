// A new, empty store for a run: a new database with one workspace that has no limits to speak of.

import { renameSync, rmSync } from 'node:fs';
import { readConfig } from '../server/src/config.ts';
import { bootstrap } from '../server/src/services/workspaces.ts';
import { openStore } from '../server/src/stores.ts';
import { temporaryFolder } from '../server/test/support/temporary-folder.ts';

export interface Store {
  environment: Record<string, string>;
  folder: string;
  apiKey: string;
  remove: () => void;
  /** Moves the folder to where no later run removes it, and returns its path. */
  keep: () => string;
}

export type EngineName = 'sqlite' | 'postgres';

const LIMITS = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };

/** Creates a store in a new folder or a given one, with a new key or a given one. */
export async function newStore(
  environment: Record<string, string> = {},
  given: { folder?: string; apiKey?: string } = {},
): Promise<Store> {
  const own = given.folder === undefined ? temporaryFolder('petstore-torture-') : undefined;
  const folder = own?.path ?? given.folder!;
  const complete = { PETSTORE_DATA_DIR: folder, ...environment };
  const { store } = await openStore(readConfig(complete));
  try {
    const apiKey = await bootstrap(store, { keyText: given.apiKey, now: Date.now() });
    if (!apiKey) throw new Error('the store for a run must be empty');
    await store.transact(async (tx) => {
      const workspace = await tx.workspaces.findAndLock(1);
      await tx.workspaces.update({ ...workspace!, plan: 'enterprise', limits: LIMITS });
    });
    const remove = own?.remove ?? (() => rmSync(folder, { recursive: true, force: true }));
    const keep = () => {
      own?.keep();
      const kept = folder.replace('petstore-torture-', 'petstore-kept-');
      renameSync(folder, kept);
      return kept;
    };
    return { environment: complete, folder, apiKey, remove, keep };
  } finally {
    await store.close();
  }
}
