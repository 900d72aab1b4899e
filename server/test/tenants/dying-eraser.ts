// Erases what is due, as the node with the lease does, and dies by kill -9 after a few transactions: before one is committed,
// or right after.

import { readConfig } from '../../src/config.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { eraseWorkspaces } from '../../src/services/tenants/erase-workspaces.ts';
import { openExistingStore } from '../../src/stores.ts';

let left = Number(process.env.TRANSACTIONS);
const diesBeforeCommit = process.env.DIES === 'before commit';

const { store } = await openExistingStore(readConfig(process.env));
const transact: Datastore['transact'] = async (work, options) => {
  left -= 1;
  const value = await store.transact(async (tx) => {
    const done = await work(tx);
    if (left === 0 && diesBeforeCommit) process.kill(process.pid, 'SIGKILL');
    return done;
  }, options);
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  return value;
};
await eraseWorkspaces({ read: store.read, transact, tidy: () => store.tidy() }, systemClock);
await store.close();
