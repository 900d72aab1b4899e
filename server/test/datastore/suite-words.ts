import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Datastore, Transaction } from '../../src/datastore/datastore.ts';
import { EXAMINED_MAX } from '../../src/datastore/list.ts';
import { tables } from '../../src/datastore/tables.ts';
import type { PetRecord } from '../../src/domain/pet.ts';
import { searchedWords } from '../../src/domain/words.ts';
import { repeats } from '../support/effort.ts';
import '../support/seed.ts';
import {
  NOW,
  newCategory,
  newPet,
  newShop,
  newWorkspace,
  type Opened,
  oneUnit,
  readAll,
} from './fixture.ts';
import { isFoundNaively, search, text } from './naive-words.ts';

const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create'), name: text(4) }) },
  fc.record({ kind: fc.constant('rename'), name: text(4), at: fc.nat() }),
  fc.record({ kind: fc.constant('delete'), name: fc.constant(''), at: fc.nat() }),
);

export function wordSuite(opened: Opened, takesMany: boolean): void {
  it('finds exactly what a naive filter finds, after pets are created, renamed and deleted', async () => {
    const { store } = opened();
    const property = fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 25 }),
      fc.array(search, { minLength: 5, maxLength: 10 }),
      async (changes, searches) => {
        const workspaceId = await newWorkspace(store);
        const categoryId = await newCategory(store, workspaceId);
        const names = await applied(store, { workspaceId, categoryId }, changes);
        for (const q of searches) {
          const words = searchedWords(q, 'q');
          const wanted = [...names].filter(([, name]) => isFoundNaively(name, q));
          const page = { sort: 'id', limit: 100 } as const;
          const { items } = await store.read.pets.list(workspaceId, { words }, page);
          expect(items.map(({ id }) => id)).toEqual(wanted.map(([id]) => id));
          const stock = await store.read.stock.list(workspaceId, { words }, page);
          expect(stock.items.map(({ petId }) => petId)).toEqual(wanted.map(([id]) => id));
        }
      },
    );
    await fc.assert(property, { numRuns: repeats({ usual: takesMany ? 25 : 5, thorough: 500 }) });
  }, 60_000);

  it('finds exactly the categories that a naive filter finds', async () => {
    const { store } = opened();
    const names = fc.uniqueArray(text(3), {
      minLength: 1,
      maxLength: 10,
      selector: (n) => n.trim(),
    });
    const searches = fc.array(search, { minLength: 5, maxLength: 10 });
    const property = fc.asyncProperty(names, searches, async (given, wanted) => {
      const workspaceId = await newWorkspace(store);
      const ids = new Map<number, string>();
      for (const name of given) {
        const made = await store.transact((tx) => tx.categories.create(workspaceId, { name }));
        if (made) ids.set(made.id, name);
      }
      for (const q of wanted) {
        const words = searchedWords(q, 'q');
        const page = { sort: 'id', limit: 100 } as const;
        const { items } = await store.read.categories.list(workspaceId, { words }, page);
        const found = [...ids].filter(([, name]) => isFoundNaively(name, q));
        expect(items.map(({ id }) => id)).toEqual(found.map(([id]) => id));
      }
    });
    await fc.assert(property, { numRuns: repeats({ usual: takesMany ? 15 : 5, thorough: 300 }) });
  }, 60_000);

  it('finds categories by their words until they are renamed or deleted', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const find = async (...words: string[]) => {
      const page = { sort: 'id', limit: 100 } as const;
      const { items } = await store.read.categories.list(workspaceId, { words }, page);
      return items.map(({ id }) => id);
    };
    const small = await newCategory(store, workspaceId, 'Small dogs');
    const large = await newCategory(store, workspaceId, 'Large Dogs');
    await newCategory(store, await newWorkspace(store), 'Dogs of a neighbour');
    expect(await find('do')).toEqual([small, large]);
    expect(await find('dog', 'la')).toEqual([large]);
    const renamed = { id: large, name: 'Large cats' };
    await store.transact((tx) => tx.categories.update(workspaceId, renamed));
    expect(await find('dog')).toEqual([small]);
    expect(await find('large', 'cat')).toEqual([large]);
    await store.transact((tx) => tx.categories.delete(workspaceId, small));
    expect(await find('dog')).toEqual([]);
  });

  it('keeps no entry of a word that no record has any more', async () => {
    const { store, rowsOf } = wordRows(opened);
    const { workspaceId, categoryId, petId } = await newShop(store);
    const renamed = { id: petId, name: 'Tom Tom the cat', categoryId, stock: oneUnit };
    await store.transact((tx) => rename(tx, workspaceId, renamed));
    expect(await rowsOf('pet_words', workspaceId)).toEqual(['cat', 'the', 'tom']);
    await store.transact((tx) => tx.pets.hide(workspaceId, petId, NOW));
    expect(await rowsOf('pet_words', workspaceId)).toEqual([]);
    await store.transact((tx) => tx.categories.delete(workspaceId, categoryId));
    expect(await rowsOf('category_words', workspaceId)).toEqual([]);
  });

  if (takesMany) {
    it('finds a rare word among many pets at once, and ends a page of common words early', async () => {
      const { store } = opened();
      const workspaceId = await newWorkspace(store);
      const categoryId = await newCategory(store, workspaceId);
      const add = (count: number, name: string) =>
        store.transact((tx) => {
          const pet = { name, categoryId, stock: oneUnit };
          return tx.pets.insert(workspaceId, Array<typeof pet>(count).fill(pet), NOW);
        });
      const half = EXAMINED_MAX / 2;
      for (let at = 0; at < half; at += 500) await add(500, 'Black labrador of the common kind');
      for (let at = 0; at < half; at += 500) await add(500, 'Brown poodle of the common kind');
      const [zebra] = await add(1, 'Brown labrador, the zebra of the common kind');
      const list = (words: string[], page: object = {}) =>
        store.read.pets.list(workspaceId, { words }, { sort: 'id', limit: 100, ...page });
      const ids = ({ items }: { items: { id: number }[] }) => items.map(({ id }) => id);
      for (const words of [['zeb'], ['zeb', 'common'], ['the', 'kind', 'of', 'commo', 'z']]) {
        const found = await list(words);
        expect([ids(found), found.hasMore]).toEqual([[zebra], false]);
        expect(ids(await list(words, { sort: '-name' }))).toEqual([zebra]);
      }
      expect(await list(['common'])).toMatchObject({ items: { length: 100 }, hasMore: true });
      const early = await list(['labrador', 'brown']);
      expect(early).toMatchObject({ items: [], hasMore: true });
      const all = await readAll((page) => list(['labrador', 'brown'], page), 'id', 100);
      expect(all.map(({ id }) => id)).toEqual([zebra]);
    }, 60_000);
  }

  it('finds a pet that was deleted since, in the stock as it was', async () => {
    const { store } = opened();
    const { workspaceId, petId, categoryId } = await newShop(store);
    await newPet(store, workspaceId, { name: 'Tom', categoryId });
    await store.transact((tx) => tx.pets.hide(workspaceId, petId, NOW + 2));
    const filter = { asOf: NOW + 1, words: ['re'] };
    const page = { sort: 'id', limit: 10 } as const;
    const { items } = await store.read.ledger.listAsOf(workspaceId, filter, page);
    expect(items.map((item) => item.petId)).toEqual([petId]);
  });
}

/** Makes the changes, some of the pets in one batch, and returns the names that are left. */
async function applied(
  store: Datastore,
  { workspaceId, categoryId }: { workspaceId: number; categoryId: number },
  changes: readonly { kind: string; name: string; at?: number }[],
): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  const batch = changes.filter(({ kind }) => kind === 'create').slice(0, 3);
  const pets = batch.map(({ name }) => ({ name, categoryId, stock: oneUnit }));
  const ids = await store.transact((tx) => tx.pets.insert(workspaceId, pets, NOW));
  for (const [at, id] of ids.entries()) names.set(id!, batch[at]!.name);
  for (const { kind, name, at = 0 } of changes) {
    const id = [...names.keys()][at % names.size];
    if (kind === 'create') {
      names.set(await newPet(store, workspaceId, { name, categoryId }), name);
    } else if (id !== undefined && kind === 'rename') {
      const pet = { id, name, categoryId, stock: oneUnit };
      await store.transact((tx) => rename(tx, workspaceId, pet));
      names.set(id, name);
    } else if (id !== undefined) {
      await store.transact((tx) => tx.pets.hide(workspaceId, id, NOW));
      names.delete(id);
    }
  }
  return names;
}

async function rename(tx: Transaction, workspaceId: number, after: PetRecord) {
  const before = (await tx.pets.findAndLock(workspaceId, after.id))!;
  await tx.pets.update(workspaceId, [{ before, after }]);
}

function wordRows(opened: Opened) {
  const { store } = opened();
  const rowsOf = async (name: string, workspaceId: number) => {
    const table = tables.find((each) => each.name === name)!;
    const after = [workspaceId, '', 0];
    const rows = await store.read.tables.page(table, after, 100);
    return rows.filter(([owner]) => owner === workspaceId).map(([, word]) => word);
  };
  return { store, rowsOf };
}
