import { expect, it } from 'vitest';
import { ConstraintViolation } from '../../src/datastore/failures.ts';
import { EXAMINED_MAX } from '../../src/datastore/list.ts';
import type { Position } from '../../src/lib/cursor.ts';
import { ticksDuring } from '../support/ticks.ts';
import {
  changeIn,
  createIn,
  NOW,
  newCategory,
  newPet,
  newShop,
  newWorkspace,
  type Opened,
  oneUnit,
  readAll,
  why,
} from './fixture.ts';

// In UTF-16 the surrogates of an astral character stand before U+E000..U+FFFF; by code point after.
const nothing = { quantity: 0, reserved: 0, held: false };
const NAMES = [
  'b',
  'a',
  'B',
  '~',
  'é',
  'z',
  '\u{1F600}',
  '\uFFFD',
  '\uFF5E',
  '\u{10FFFF}',
  '日',
  'a',
];
const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

export function catalogueSuite(opened: Opened, takesMany: boolean): void {
  it('returns what was stored, character by character', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const name = `'"\\%_$1 ?\u{1F600}\uFFFD e\u0301 \u200B`;
    const category = { name, description: `${name}\u2028` };
    const created = (await store.transact((tx) => tx.categories.create(workspaceId, category)))!;
    expect(await store.read.categories.find(workspaceId, created.id)).toEqual({
      id: created.id,
      ...category,
    });
  });

  it('shows nothing of a workspace to another', async () => {
    const { store } = opened();
    const { categoryId, petId } = await newShop(store);
    const foreign = await newWorkspace(store);
    const page = { sort: 'id', limit: 10 } as const;
    expect(await store.read.pets.find(foreign, petId)).toBeUndefined();
    expect(await store.read.categories.find(foreign, categoryId)).toBeUndefined();
    expect(await store.read.stock.find(foreign, petId)).toBeUndefined();
    expect((await store.read.pets.list(foreign, {}, page)).items).toEqual([]);
    const moved = store.transact((tx) =>
      createIn(tx, foreign, { name: 'Rex', categoryId, stock: oneUnit }, why),
    );
    expect(await moved).toBeUndefined();
  });

  it('pages by id, both ways, and neither repeats nor skips', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const ids: number[] = [];
    for (let at = 0; at < 7; at += 1) ids.push(await newCategory(store, workspaceId, `c${at}`));
    const read = async (sort: 'id' | '-id', limit: number) => {
      const list = (page: Parameters<typeof store.read.categories.list>[2]) =>
        store.read.categories.list(workspaceId, {}, page);
      return (await readAll(list, sort, limit)).map(({ id }) => id);
    };
    for (const limit of [1, 3, 7, 8]) {
      expect(await read('id', limit)).toEqual(ids);
      expect(await read('-id', limit)).toEqual(ids.toReversed());
    }
  });

  it('sorts names by code point and equal names by id, across pages', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const categoryId = await newCategory(store, workspaceId);
    for (const name of NAMES) await newPet(store, workspaceId, { name, categoryId });
    const read = (sort: 'name' | '-name', limit: number) =>
      readAll((page) => store.read.pets.list(workspaceId, {}, page), sort, limit);
    const expected = NAMES.toSorted(byCodePoint);
    expect(expected).not.toEqual(NAMES.toSorted());
    for (const limit of [1, 2, 5, 100]) {
      const up = await read('name', limit);
      expect(up.map(({ name }) => name)).toEqual(expected);
      expect(up[0]!.id).toBeLessThan(up[0]!.name === up[1]!.name ? up[1]!.id : Infinity);
      expect(await read('-name', limit)).toEqual(up.toReversed());
    }
  });

  it('finds by prefix, whatever the case, and takes no character for a wildcard', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const categoryId = await newCategory(store, workspaceId);
    const names = ['École', 'ecole', '100%', '1000', 'a_b', 'axb', '\u{1F600}x', '\u{10FFFF}y'];
    for (const name of names) await newPet(store, workspaceId, { name, categoryId });
    const find = async (namePrefix: string) => {
      const page = { sort: 'id', limit: 100 } as const;
      const { items } = await store.read.pets.list(workspaceId, { namePrefix }, page);
      return items.map(({ name }) => name);
    };
    expect(await find('E\u0301CO')).toEqual(['École']);
    expect(await find('e')).toEqual(['ecole']);
    expect(await find('100%')).toEqual(['100%']);
    expect(await find('A_')).toEqual(['a_b']);
    expect(await find('\u{1F600}')).toEqual(['\u{1F600}x']);
    expect(await find('\u{10FFFF}')).toEqual(['\u{10FFFF}y']);
    expect(await find('')).toEqual(names);
    expect(await find('nothing')).toEqual([]);
  });

  it('filters by status, category, ids and availability', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const dogs = await newCategory(store, workspaceId, 'Dogs');
    const cats = await newCategory(store, workspaceId, 'Cats');
    const add = (name: string, categoryId: number, quantity: number, held = false) =>
      newPet(store, workspaceId, { name, categoryId, stock: { quantity, reserved: 0, held } });
    const plenty = await add('plenty', dogs, 5);
    const held = await add('held', dogs, 5, true);
    const sold = await add('sold', cats, 0);
    const page = { sort: 'id', limit: 100 } as const;
    const list = async (
      filter: Parameters<typeof store.read.pets.list>[1],
      sort: 'id' | '-id' = 'id',
    ) =>
      (await store.read.pets.list(workspaceId, filter, { ...page, sort })).items.map(
        ({ id }) => id,
      );
    expect(await list({ status: 'available' })).toEqual([plenty]);
    expect(await list({ status: 'pending' })).toEqual([held]);
    expect(await list({ status: 'sold', categoryId: cats })).toEqual([sold]);
    expect(await list({ status: 'sold', categoryId: dogs })).toEqual([]);
    expect(await list({ ids: [sold, plenty, Number.MAX_SAFE_INTEGER] })).toEqual([plenty, sold]);
    expect(await list({ ids: [] })).toEqual([]);
    expect(await list({ ids: [sold, plenty], status: 'sold' })).toEqual([sold]);
    expect(await list({ ids: [sold, sold, held] }, '-id')).toEqual(
      [sold, held].toSorted((a, b) => b - a),
    );
    const { items: first, hasMore } = await store.read.pets.list(
      workspaceId,
      { ids: [sold, plenty, held] },
      { sort: 'id', limit: 2 },
    );
    expect(first.map(({ id }) => id)).toEqual(
      [sold, plenty, held].toSorted((a, b) => a - b).slice(0, 2),
    );
    expect(hasMore).toBe(true);
    const scarce = await store.read.stock.list(workspaceId, { availableBelow: 5 }, page);
    expect(scarce.items.map(({ petId }) => petId)).toEqual([sold]);
    const held5 = { status: 'pending', availableBelow: 6 } as const;
    const pending = await store.read.stock.list(workspaceId, held5, page);
    expect(pending.items).toMatchObject([{ petId: held, stock: { quantity: 5, reserved: 0 } }]);
  });

  if (takesMany) {
    it('tries a filter without an index on a bounded number of pets, and goes on with the next page', async () => {
      const { store, execute } = opened();
      const workspaceId = await newWorkspace(store);
      const categoryId = await newCategory(store, workspaceId);
      const later = NOW + 200_000;
      const add = (count: number, { quantity = 5, name = 'Rex', held = false, at = later }) =>
        store.transact(async (tx) => {
          const pet = { name, categoryId, stock: { quantity, reserved: 0, held } };
          const pets = Array<typeof pet>(count).fill(pet);
          const ids = (await tx.pets.insert(workspaceId, pets, at)) as number[];
          const steps = ids.map((petId) => {
            return { petId, before: nothing, after: pet.stock, cause: 'created' } as const;
          });
          await tx.stock.record(workspaceId, steps, at);
          return ids;
        });
      const [first] = await add(1, { quantity: 1, name: 'Tom', held: true, at: NOW });
      const many: number[] = [];
      while (many.length < EXAMINED_MAX) many.push(...(await add(1_000, {})));
      const [last] = await add(1, { quantity: 1 });
      const list = async (sort: 'id' | '-id', after?: Position, others: object = {}) => {
        const page = { sort, limit: 100, ...(after ? { after } : {}) };
        const filter = { availableBelow: 3, ...others };
        const { items, ...rest } = await store.read.stock.list(workspaceId, filter, page);
        return { petIds: items.map(({ petId }) => petId), ...rest };
      };
      const up = await list('id');
      expect(up).toMatchObject({ petIds: [first], hasMore: true });
      expect(await list('id', up.end)).toEqual({ petIds: [last], hasMore: false });
      const down = await list('-id');
      expect(down).toMatchObject({ petIds: [last], hasMore: true });
      expect(await list('-id', down.end)).toEqual({ petIds: [first], hasMore: false });
      // What another filter leaves out is examined, too.
      for (const others of [{ namePrefix: 're' }, { categoryId, status: 'available' as const }]) {
        const pages = await readAll(
          (page) => store.read.stock.list(workspaceId, { availableBelow: 3, ...others }, page),
          'id',
          100,
        );
        expect(pages.map(({ petId }) => petId)).toEqual([last]);
      }

      const asOf = (after?: Position, sort: 'id' | '-id' = 'id') => {
        const page = { sort, limit: 100, ...(after ? { after } : {}) };
        return store.read.ledger.listAsOf(workspaceId, { asOf: NOW }, page);
      };
      const past = await asOf();
      expect(past).toMatchObject({ items: [{ petId: first }], hasMore: true });
      expect(await asOf(past.end)).toEqual({ items: [], hasMore: false });
      await execute(
        `UPDATE pets SET deleted_at = ${later}, category_id = NULL
         WHERE id BETWEEN ${many[0]} AND ${many.at(-1)}`,
      );
      const end = past.end!;
      expect(await asOf()).toMatchObject({ items: [{ petId: first }], hasMore: true, end });
      expect(await asOf(end)).toEqual({ items: [], hasMore: false });
      const back = await asOf(undefined, '-id');
      expect(back).toEqual({ items: [], hasMore: true, end: back.end });
      const inCategory = { asOf: NOW, categoryId };
      expect(
        await store.read.ledger.listAsOf(workspaceId, inCategory, { sort: 'id', limit: 100 }),
      ).toMatchObject({ items: [{ petId: first }], hasMore: false });
      expect(await asOf(back.end, '-id')).toMatchObject({
        items: [{ petId: first }],
        hasMore: false,
      });

      const ledger = () =>
        store.read.ledger.list(workspaceId, { cause: 'adjusted' }, { sort: '-id', limit: 100 });
      expect(await ledger()).toMatchObject({ items: [], hasMore: true });
      // It reads 2,048 rows at a time, and others have their turn in between.
      expect(await ticksDuring(ledger)).toBeGreaterThan(5);
    });
  }

  it('keeps names of categories unique in a workspace, whatever their case', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const cats = await newCategory(store, workspaceId, 'CATÉ');
    const dogs = await newCategory(store, workspaceId, 'Dogs');
    const again = store.transact((tx) => tx.categories.create(workspaceId, { name: 'cate\u0301' }));
    expect(await again).toBeUndefined();
    const renamed = store.transact(async (tx) => {
      const isRenamed = await tx.categories.update(workspaceId, { id: dogs, name: 'caté' });
      if (!isRenamed) throw new RangeError('taken');
    });
    await expect(renamed).rejects.toThrow(RangeError);
    expect(await store.read.categories.find(workspaceId, dogs)).toEqual({ id: dogs, name: 'Dogs' });
    const same = { id: cats, name: 'caté' };
    expect(await store.transact((tx) => tx.categories.update(workspaceId, same))).toBe(true);
    expect(await newCategory(store, await newWorkspace(store), 'caté')).toBeGreaterThan(cats);
  });

  it('keeps a category while it has pets, and lets it go when they are deleted', async () => {
    const { store } = opened();
    const { workspaceId, categoryId, petId } = await newShop(store);
    const remove = () => store.transact((tx) => tx.categories.delete(workspaceId, categoryId));
    expect(await remove()).toBe(false);
    expect(await store.read.categories.find(workspaceId, categoryId)).toBeDefined();
    expect(await store.transact((tx) => tx.pets.hide(workspaceId, petId, NOW))).toBe(true);
    expect(await remove()).toBe(true);
    expect(await store.read.categories.find(workspaceId, categoryId)).toBeUndefined();
  });

  it('refuses a pet whose category does not exist', async () => {
    const { store } = opened();
    const { workspaceId, petId } = await newShop(store);
    const nowhere = { name: 'Rex', categoryId: 999_999_999, stock: oneUnit };
    const create = store.transact((tx) => createIn(tx, workspaceId, nowhere, why));
    expect(await create).toBeUndefined();
    const move = store.transact(async (tx) => {
      const before = (await tx.pets.findAndLock(workspaceId, petId))!;
      const after = { ...before, ...nowhere };
      const isMoved = await tx.pets.update(workspaceId, [{ before, after }]);
      if (!isMoved) throw new RangeError('no such category');
    });
    await expect(move).rejects.toThrow(RangeError);
  });

  it('hides a deleted pet once, and not while units of it are reserved', async () => {
    const { store } = opened();
    const { workspaceId, petId } = await newShop(store);
    const hide = () => store.transact((tx) => tx.pets.hide(workspaceId, petId, NOW));
    const reserve = (reserved: number) =>
      store.transact(async (tx) => {
        const pet = (await tx.pets.findAndLock(workspaceId, petId))!;
        const after = { ...pet.stock, reserved };
        await changeIn(tx, workspaceId, petId, pet.stock, after, { ...why, cause: 'reserved' });
      });
    await reserve(1);
    expect(await hide()).toBe(false);
    await reserve(0);
    expect(await hide()).toBe(true);
    expect(await hide()).toBe(false);
    const page = { sort: 'id', limit: 10 } as const;
    expect(await store.read.pets.find(workspaceId, petId)).toBeUndefined();
    expect((await store.read.pets.list(workspaceId, {}, page)).items).toEqual([]);
    expect((await store.read.stock.list(workspaceId, {}, page)).items).toEqual([]);
    expect(await store.read.stock.find(workspaceId, petId)).toBeUndefined();
  });

  it('refuses stock that breaks the rule, whatever the service asks for', async () => {
    const { store } = opened();
    const { workspaceId, petId } = await newShop(store);
    const after = { quantity: 1, reserved: 2, held: false };
    const change = store.transact((tx) =>
      changeIn(tx, workspaceId, petId, oneUnit, after, { ...why, cause: 'reserved' }),
    );
    await expect(change).rejects.toThrow(ConstraintViolation);
    await expect(change).rejects.toMatchObject({ kind: 'check' });
    expect((await store.read.pets.find(workspaceId, petId))!.stock).toEqual(oneUnit);
  });
}
