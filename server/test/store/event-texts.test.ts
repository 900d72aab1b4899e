// The text of an event is the same, byte for byte, whatever writes it: SQLite statement by statement, PostgreSQL in one
// statement, or a batch. Each has a database of its own, so ids are the same too.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Datastore, Transaction } from '../../src/datastore/datastore.ts';
import { migratePostgres } from '../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../src/datastore/postgres/postgres-datastore.ts';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../src/datastore/sqlite/sqlite-datastore.ts';
import { Refusal } from '../../src/domain/errors.ts';
import type { Caller } from '../../src/domain/key.ts';
import type { NewOrder } from '../../src/domain/order.ts';
import type { NewPet } from '../../src/domain/pet.ts';
import { petStatuses } from '../../src/domain/stock.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import { placeOrders } from '../../src/services/batches/order-batches.ts';
import { createPets } from '../../src/services/batches/pet-batches.ts';
import { updateInventory } from '../../src/services/inventory.ts';
import { placeOrder } from '../../src/services/orders.ts';
import { createPet } from '../../src/services/pets.ts';
import { NOW, newCategory, newWorkspace } from '../datastore/fixture.ts';
import { readFeed } from '../datastore/suite-events.ts';
import { repeats } from '../support/effort.ts';
import { createDatabase } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Story {
  pet: Omit<NewPet, 'categoryId'>;
  /** The stock before the orders; absent: what a new pet has. */
  quantity?: number;
  orders: Omit<NewOrder, 'petId'>[];
  lowStockAt?: number;
  keyId: string;
}

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
const order = fc
  .record(
    {
      quantity: fc.integer({ min: 1, max: 5 }),
      complete: fc.boolean(),
      shipDate: instant,
      expiresAt: fc.integer({ min: NOW + 1, max: NOW + 86_400_000 }),
    },
    { requiredKeys: ['quantity', 'complete'] },
  )
  .map(({ expiresAt, ...rest }): Omit<NewOrder, 'petId'> => {
    return rest.complete || expiresAt === undefined ? rest : { ...rest, expiresAt };
  });
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => {
  return !/\p{Cc}/u.test(text) && text.isWellFormed();
});
const story: fc.Arbitrary<Story> = fc.record(
  {
    pet: fc.record(
      {
        name: fc.oneof(name, fc.constantFrom('"\\', "O'Hara", '\\u0000id', '"\\u0000id"', '$1 ||')),
        status: fc.constantFrom(...petStatuses),
        reference: name,
        lowStockAt: fc.integer({ min: 0, max: 12 }),
        metadata: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), name, { minKeys: 1 }),
      },
      { requiredKeys: ['name'] },
    ),
    quantity: fc.integer({ min: 0, max: 12 }),
    orders: fc.array(order, { maxLength: 5 }),
    lowStockAt: fc.integer({ min: 0, max: 12 }),
    keyId: fc.constantFrom('3ZrHIxYjJZft', 'import'),
  },
  { requiredKeys: ['pet', 'orders', 'keyId'] },
);

type Run = (store: Datastore, caller: Caller, story: Story, categoryId: number) => Promise<void>;
type Unit = <T>(store: Datastore, work: (tx: Transaction) => Promise<T>) => Promise<T>;

const alone: Unit = (store, work) => store.transact(work);
const inAttempt: Unit = (store, work) => store.transact((tx) => tx.attempt(() => work(tx)));

const oneByOne =
  (unit: Unit): Run =>
  async (store, caller, { pet, quantity, orders }, categoryId) => {
    const { id } = await unit(store, (tx) =>
      createPet(tx, { caller, now: NOW, pet: { ...pet, categoryId } }),
    );
    await count(store, caller, id, quantity);
    for (const each of orders) {
      const input = { caller, now: NOW, order: { ...each, petId: id } };
      await unit(store, (tx) => placeOrder(tx, input)).catch((err: unknown) => {
        if (!(err instanceof Refusal)) throw err;
      });
    }
  };

const inBatches: Run = async (store, caller, { pet, quantity, orders }, categoryId) => {
  const batch = { caller, now: NOW, isAllOrNothing: false };
  const [outcome] = await store.transact((tx) =>
    createPets(tx, { ...batch, isUpdating: false, rows: [{ ...pet, categoryId }] }),
  );
  const { id } = (outcome as { pet: { id: number } }).pet;
  await count(store, caller, id, quantity);
  const rows = orders.map((each) => ({ ...each, petId: id }));
  await store.transact((tx) => placeOrders(tx, { ...batch, rows }));
};

async function count(store: Datastore, caller: Caller, id: number, quantity: number | undefined) {
  if (quantity === undefined) return;
  const input = { caller, now: NOW, id, count: { quantity }, checkMatch: () => undefined };
  await store.transact((tx) => updateInventory(tx, input));
}

const folder = temporaryFolder();
const openSqlite = (): Datastore => {
  const file = `${folder.path}/${files.length}.db`;
  files.push(file);
  migrateSqlite(file);
  return new SqliteDatastore(file, new Coalescer());
};
const files: string[] = [];
const openPostgres = async (): Promise<Datastore> => {
  const url = await createDatabase();
  await migratePostgres(url);
  return new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
};

let paths: { path: string; store: Datastore; run: Run }[];
beforeAll(async () => {
  paths = [
    { path: 'SQLite', store: openSqlite(), run: oneByOne(alone) },
    { path: 'SQLite, batch', store: openSqlite(), run: inBatches },
    { path: 'PostgreSQL', store: await openPostgres(), run: oneByOne(alone) },
    { path: 'PostgreSQL, attempt', store: await openPostgres(), run: oneByOne(inAttempt) },
    { path: 'PostgreSQL, batch', store: await openPostgres(), run: inBatches },
  ];
});
afterAll(async () => {
  for (const { store } of paths) await store.close();
  folder.remove();
});

async function textsOf({ store, run }: (typeof paths)[number], each: Story) {
  const workspaceId = await newWorkspace(store);
  const categoryId = await newCategory(store, workspaceId);
  const { keyId, lowStockAt } = each;
  const limits = { perMinute: 60, perDay: 1_000 };
  const threshold = lowStockAt === undefined ? {} : { lowStockAt };
  const caller: Caller = { workspaceId, keyId, scopes: ['write'], limits, ...threshold };
  await run(store, caller, each, categoryId);
  const records = await readFeed(store, workspaceId);
  return records.map(({ sequence, type, at, text }) => ({ sequence, type, at, text }));
}

it('writes the same texts on every path', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(story, async (each) => {
      const written: Awaited<ReturnType<typeof textsOf>>[] = [];
      for (const path of paths) written.push(await textsOf(path, each));
      const expected = written[0]!;
      for (const { type, at, text } of expected) {
        const shown = JSON.parse(text);
        expect(shown).toMatchObject({
          type,
          timestamp: new Date(at).toISOString().replace('.000', ''),
        });
        // Commands of the operator have no key.
        expect('keyId' in shown).toBe(each.keyId !== 'import');
      }
      expect(JSON.parse(expected[0]!.text).data.pet.name).toBe(each.pet.name);
      for (const [at, { path }] of paths.entries()) expect(written[at], path).toEqual(expected);
    }),
    { numRuns: repeats({ usual: 60, thorough: 1_000 }) },
  );
});
