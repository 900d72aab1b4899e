import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { EXAMINED_MAX } from '../../src/datastore/list.ts';
import type { Caller } from '../../src/domain/key.ts';
import { type OrderRecord, orderStates } from '../../src/domain/order.ts';
import { searchedWords } from '../../src/domain/words.ts';
import { cancelOrder, placeOrder, updateOrder } from '../../src/services/orders.ts';
import { repeats } from '../support/effort.ts';
import '../support/seed.ts';
import { NOW, newShop, type Opened, readAll } from './fixture.ts';
import { isFoundNaively, search, text } from './naive-words.ts';

const noted = fc.option(text(3), { nil: undefined });
const change = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('place'), customer: noted, reference: noted }),
  },
  fc.record({
    kind: fc.constantFrom('update', 'complete', 'cancel', 'forget'),
    customer: noted,
    reference: noted,
    at: fc.nat(),
  }),
);

interface Change {
  kind: string;
  customer: string | undefined;
  reference: string | undefined;
  at?: number;
}

type Noted = Pick<OrderRecord, 'customer' | 'reference'>;

export function orderWordSuite(opened: Opened, takesMany: boolean): void {
  const everything = { sort: 'id', limit: 100 } as const;

  it('finds exactly the orders that a naive filter finds, after they changed and ended', async () => {
    const { store } = opened();
    const searches = fc.array(search, { minLength: 5, maxLength: 10 });
    const changes = fc.array(change, { minLength: 1, maxLength: 25 });
    const property = fc.asyncProperty(changes, searches, async (made, wanted) => {
      const { caller, orders } = await applied(store, made);
      const idsOf = async (filter: object) => {
        const all = { state: orderStates, ...filter };
        const { items } = await store.read.orders.list(caller.workspaceId, all, everything);
        return items.map(({ id }) => id);
      };
      const idsWhere = (isWanted: (order: Noted) => boolean) =>
        [...orders].filter(([, order]) => isWanted(order)).map(([id]) => id);
      for (const q of wanted) {
        const words = searchedWords(q, 'q');
        // No word goes over the end of a text, so a word of either is a word of both together.
        const isFound = ({ customer = '', reference = '' }: Noted) =>
          isFoundNaively(`${customer} ${reference}`, q);
        expect(await idsOf({ words })).toEqual(idsWhere(isFound));
        expect(await idsOf({ customerWords: words })).toEqual(
          idsWhere(({ customer = '' }) => isFoundNaively(customer, q)),
        );
      }
    });
    await fc.assert(property, { numRuns: repeats({ usual: takesMany ? 20 : 5, thorough: 400 }) });
  }, 60_000);

  if (takesMany) {
    it('finds a rare customer among many orders at once, and ends a page of a common one early', async () => {
      const { store } = opened();
      const many = EXAMINED_MAX + 1_000;
      const stock = { quantity: 2 * many, reserved: 0, held: false };
      const { workspaceId, petId } = await newShop(store, stock);
      const order = { petId, quantity: 1, complete: false };
      const add = (count: number, customer: string, reference: string) =>
        store.transact((tx) => {
          const orders = Array.from({ length: count }, () => ({ ...order, customer, reference }));
          return tx.orders.insert(workspaceId, orders, NOW);
        });
      for (let at = 0; at < many; at += 500) await add(500, 'Ada of the shop', 'web');
      const [grace] = await add(1, 'Grace of the shop', 'ada');
      const list = (filter: object, page: object = {}) =>
        store.read.orders.list(workspaceId, filter, { ...everything, ...page });
      const found = await list({ words: ['grace'] });
      expect([found.items.map(({ id }) => id), found.hasMore]).toEqual([[grace], false]);
      expect(await list({ words: ['shop'] })).toMatchObject({
        items: { length: 100 },
        hasMore: true,
      });
      // The word is common, and so is the other: the order that has both is far behind.
      const both = { words: ['ada', 'shop'], customerWords: ['g', 'shop'] };
      expect((await list(both)).items.map(({ id }) => id)).toEqual([grace]);
      const early = await list({ words: ['ada'], customerWords: ['shop'], reference: 'ada' });
      expect(early.items.map(({ id }) => id)).toEqual([grace]);
      const none = await list({ words: ['shop'], createdFrom: NOW + 1 });
      expect(none).toMatchObject({ items: [], hasMore: true });
      const all = await readAll(
        (page) => list({ words: ['shop'], createdFrom: NOW + 1 }, page),
        'id',
        100,
      );
      expect(all).toEqual([]);
    }, 60_000);
  }
}

/** Makes the changes, and returns what is noted about each order in the end. */
async function applied(store: Datastore, changes: readonly Change[]) {
  const stock = { quantity: 100, reserved: 0, held: false };
  const { workspaceId, petId } = await newShop(store, stock);
  const limits = { perMinute: 1, perDay: 1 };
  const caller: Caller = { keyId: 'key', workspaceId, scopes: [], limits };
  const orders = new Map<number, Noted>();
  const open = new Set<number>();
  for (const { kind, customer, reference, at = 0 } of changes) {
    const noted = {
      ...(customer === undefined ? {} : { customer }),
      ...(reference === undefined ? {} : { reference }),
    };
    if (kind === 'place') {
      const order = { petId, quantity: 1, complete: false, ...noted };
      const { id } = await store.transact((tx) => placeOrder(tx, { caller, order, now: NOW }));
      orders.set(id, noted);
      open.add(id);
      continue;
    }
    const ids = kind === 'forget' ? [...orders.keys()] : [...open];
    const id = ids[at % ids.length];
    if (id === undefined) continue;
    const base = { caller, id, checkMatch: () => undefined, now: NOW };
    const update = (patch: object) => store.transact((tx) => updateOrder(tx, { ...base, patch }));
    if (kind === 'cancel') await store.transact((tx) => cancelOrder(tx, base));
    if (kind === 'complete') await update({ complete: true });
    if (kind === 'complete' || kind === 'cancel') open.delete(id);
    if (kind === 'forget') {
      await update({ customer: null });
      const { customer: _, ...rest } = orders.get(id)!;
      orders.set(id, rest);
    }
    if (kind === 'update') {
      await update({ customer: customer ?? null, reference: reference ?? null });
      orders.set(id, noted);
    }
  }
  return { caller, orders };
}
