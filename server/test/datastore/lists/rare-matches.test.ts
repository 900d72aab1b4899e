// A list with a rare match, read through pages that end early while others write, returns what a full scan finds.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Readers, readersOver } from '../../../src/datastore/datastore.ts';
import type { PetRecord } from '../../../src/domain/pet.ts';
import type { Position } from '../../../src/lib/cursor.ts';
import { repeats } from '../../support/effort.ts';
import { openPostgres, openSqlite } from '../engines.ts';
import { createIn, type Engine, NOW } from '../fixture.ts';
import { type Counting, countOnPostgres, countOnSqlite } from './counting.ts';
import { type Filled, fillStore, idAt, ROWS } from './filled-store.ts';

/** More than there are. */
const ALL = 10 * ROWS;
const RUNS = repeats({ usual: 8, thorough: 200 });
const EMPTY = { quantity: 0, reserved: 0, held: false };

const row = fc.integer({ min: 1, max: ROWS });
const runs = fc.record({
  /** The pets that are sold out from the beginning. */
  matches: fc.uniqueArray(row, { minLength: 1, maxLength: 8 }),
  sort: fc.constantFrom('id', '-id', 'name', '-name'),
  limit: fc.integer({ min: 1, max: 9 }),
  /** What others write between two pages. */
  writes: fc.array(
    fc.record({ kind: fc.constantFrom('create', 'delete', 'rename', 'sell'), n: row }),
    { minLength: 4, maxLength: 20 },
  ),
});

describe.each([
  { name: 'SQLite', open: openSqlite, count: countOnSqlite },
  { name: 'PostgreSQL', open: () => openPostgres(), count: countOnPostgres },
])('$name', ({ open, count }) => {
  let engine: Engine;
  let counting: Counting;
  let read: Readers;
  let filled: Filled;
  beforeAll(async () => {
    engine = await open();
    filled = await fillStore(engine);
    await engine.execute('UPDATE pets SET quantity = 5 WHERE deleted_at IS NULL');
    counting = await count(engine.location);
    read = readersOver(counting.runner);
  });
  afterAll(async () => {
    await counting?.close();
    await engine?.close();
  });

  const setQuantity = (rows: readonly number[], quantity: number) =>
    engine.execute(
      `UPDATE pets SET quantity = ${quantity} WHERE workspace_id = ${filled.workspaceId}
       AND deleted_at IS NULL AND id IN (${rows.map(idAt).join(', ')})`,
    );

  /** The pets that are sold out, found without a filter. */
  async function scan(sort: 'id'): Promise<Map<number, PetRecord>> {
    const { items } = await read.pets.list(filled.workspaceId, {}, { sort, limit: ALL });
    const found = items.filter(({ stock }) => stock.quantity === 0);
    return new Map(found.map((pet) => [pet.id, pet]));
  }

  async function write({ kind, n }: { kind: string; n: number }): Promise<void> {
    const { workspaceId, categories } = filled;
    if (kind === 'sell') return void (await setQuantity([n], 0));
    await engine.other.transact(async (tx) => {
      const name = `Shared name ${n}`;
      if (kind === 'create') {
        await createIn(tx, workspaceId, { name, categoryId: categories.common, stock: EMPTY });
        return;
      }
      const pet = await tx.pets.findAndLock(workspaceId, idAt(n));
      if (!pet) return;
      if (kind === 'delete') await tx.pets.hide(workspaceId, pet.id, NOW + ROWS);
      const change = { before: pet, after: { ...pet, name } };
      if (kind === 'rename') await tx.pets.update(workspaceId, [change]);
    });
  }

  it('returns every row once that matches throughout, and none that never does', async () => {
    let early = 0;
    await fc.assert(
      fc.asyncProperty(runs, async ({ matches, sort, limit, writes }) => {
        await setQuantity(matches, 0);
        const before = await scan('id');
        const left = writes.filter(({ n }) => !matches.includes(n));
        const touched = new Set(left.map(({ n }) => idAt(n)));
        const found: number[] = [];
        let after: Position | undefined;
        do {
          const page = { sort: sort as 'id', limit, after };
          const { items, end } = await read.pets.list(
            filled.workspaceId,
            { availableBelow: 1 },
            page,
          );
          found.push(...items.map(({ id }) => id));
          if (end && items.length < limit) early += 1;
          after = end;
          for (const each of left.splice(0, 4)) await write(each);
        } while (after);
        const later = await scan('id');
        const throughout = [...before.keys()].filter((id) => later.has(id) && !touched.has(id));
        expect(found.filter((id) => throughout.includes(id)).toSorted()).toEqual(
          throughout.toSorted(),
        );
        const strange = found.filter((id) => !before.has(id) && !later.has(id) && !touched.has(id));
        expect(strange).toEqual([]);
        await setQuantity([...matches, ...writes.map(({ n }) => n)], 5);
      }),
      { numRuns: RUNS },
    );
    expect(early).toBeGreaterThan(RUNS);
  });
});
