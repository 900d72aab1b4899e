// Comparing all counts with the ledger takes as many steps as there are rows, not the square of them.

import { expect, it, onTestFinished } from 'vitest';
import { readersOver } from '../../src/datastore/datastore.ts';
import { openPostgres, openSqlite } from './engines.ts';
import { NOW, newShop, oneUnit } from './fixture.ts';
import { countOnPostgres, countOnSqlite } from './lists/counting.ts';

const PETS = 500;

it.each([
  { name: 'SQLite', open: openSqlite, count: countOnSqlite },
  { name: 'PostgreSQL', open: () => openPostgres(), count: countOnPostgres },
])('reads few rows for each pet on $name', async ({ open, count }) => {
  const engine = await open();
  onTestFinished(() => engine.close());
  const { workspaceId, categoryId } = await newShop(engine.store);
  await engine.store.transact(async (tx) => {
    const pet = { name: 'Tom', categoryId, stock: oneUnit };
    const ids = await tx.pets.insert(workspaceId, Array<typeof pet>(PETS).fill(pet), NOW);
    const before = { quantity: 0, reserved: 0, held: false };
    const steps = ids.map(
      (id) => ({ petId: id!, before, after: oneUnit, cause: 'created' }) as const,
    );
    await tx.stock.record(workspaceId, steps, NOW);
  });
  if (engine.location.startsWith('postgres')) await engine.execute('ANALYZE');
  const counting = await count(engine.location);
  onTestFinished(() => counting.close());
  const found = await readersOver(counting.runner).audit.differences();
  expect(found).toEqual({ reserved: [], ledger: [], links: [] });
  const examined = counting.taken();
  expect(examined).toBeGreaterThan(PETS);
  expect(examined).toBeLessThan(10 * PETS);
});
