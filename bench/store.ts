import { readConfig } from '../server/src/config.ts';
import type { Datastore } from '../server/src/datastore/datastore.ts';
import type { Caller } from '../server/src/domain/key.ts';
import { openingStock } from '../server/src/domain/stock.ts';
import { placeOrders } from '../server/src/services/batches/order-batches.ts';
import { numberAll } from '../server/src/services/events/numbering.ts';
import { createKey } from '../server/src/services/keys.ts';
import { creating } from '../server/src/services/pets.ts';
import { moveStock } from '../server/src/services/stock.ts';
import { bootstrap, createWorkspace } from '../server/src/services/workspaces.ts';
import { openStore } from '../server/src/stores.ts';
import { temporaryFolder } from '../server/test/support/temporary-folder.ts';

export interface PreparedStore {
  environment: Record<string, string>;
  workspaceId: number;
  /** A key whose limits are never reached, and one that is always over its limit. */
  key: string;
  refusedKey: string;
  /** Keys that take turns in reading the feed, which each of them may do 60 times a minute. */
  eventKeys: readonly string[];
  pets: number;
  /** Whether an order takes a reference, a customer, a note and metadata. */
  hasOrderDetails: boolean;
  loadSeconds: number;
  remove: () => void;
}

const NO_LIMITS = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
const STOCK = 1_000_000_000;
const BATCH = 1_000;
const EVENT_KEYS = 2_000;

export async function prepareStore(
  pets: number,
  environment: Record<string, string>,
  onProgress: (share: number) => void,
): Promise<PreparedStore> {
  const folder = temporaryFolder('petstore-bench-');
  const settings = {
    PETSTORE_DATA_DIR: folder.path,
    PETSTORE_BAN_AFTER: '1000000',
    ...environment,
  };
  const { store } = await openStore(readConfig(settings));
  await bootstrap(store, { keyText: undefined, now: Date.now() });
  const plan = 'enterprise';
  const open = await store.transact((tx) =>
    createWorkspace(tx, {
      workspace: { name: 'bench', plan, limits: NO_LIMITS },
      now: Date.now(),
    }),
  );
  const limits = { perMinute: 1, perDay: 1 };
  const shut = await store.transact((tx) =>
    createWorkspace(tx, { workspace: { name: 'shut', plan, limits }, now: Date.now() }),
  );
  const eventKeys = await createKeys(store, open.workspace.id);
  const startedAt = performance.now();
  await loadPets(store, open.workspace.id, pets, onProgress);
  await store.transact((tx) => tx.tables.analyze());
  const loadSeconds = (performance.now() - startedAt) / 1000;
  // The first read numbers what loading has written.
  await numberAll(store);
  await store.close();
  const keys = { key: open.key.key, refusedKey: shut.key.key, eventKeys };
  const workspaceId = open.workspace.id;
  const made = { workspaceId, ...keys, pets, hasOrderDetails: true, loadSeconds };
  return { environment: settings, ...made, remove: folder.remove };
}

async function createKeys(store: Datastore, workspaceId: number): Promise<string[]> {
  const key = { name: 'events', scopes: ['read'] as const };
  return store.transact(async (tx) => {
    const texts: string[] = [];
    for (let at = 0; at < EVENT_KEYS; at += 1) {
      texts.push((await createKey(tx, { workspaceId, key, now: Date.now() })).key);
    }
    return texts;
  });
}

async function loadPets(
  store: Datastore,
  workspaceId: number,
  pets: number,
  onProgress: (share: number) => void,
): Promise<void> {
  const category = await store.transact((tx) =>
    tx.categories.create(workspaceId, { name: 'Dogs' }),
  );
  const stock = { ...openingStock('available'), quantity: STOCK };
  for (let at = 0; at < pets; at += BATCH) {
    const now = Date.now();
    await store.transact(async (tx) => {
      const batch = Array.from({ length: Math.min(BATCH, pets - at) }, (_, n) => {
        return { name: `Pet ${((at + n) * 7919) % pets}`, categoryId: category!.id, stock };
      });
      const ids = (await tx.pets.insert(workspaceId, batch, now)) as number[];
      const change = { caller: { workspaceId, keyId: 'bench' } as Caller, now };
      await moveStock(
        tx,
        change,
        batch.map((pet, n) => creating({ id: ids[n]!, ...pet })),
      );
      const rows = ids.map((petId) => ({ petId, quantity: 1, complete: false }));
      await placeOrders(tx, { ...change, rows, isAllOrNothing: true });
    });
    onProgress(at / pets);
  }
}
