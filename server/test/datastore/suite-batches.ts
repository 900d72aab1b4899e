import { expect, it } from 'vitest';
import { Conflict, StorageUnavailable } from '../../src/datastore/failures.ts';
import { placedOrder } from '../../src/domain/order.ts';
import { NOW, newPet, newShop, type Opened, oneUnit } from './fixture.ts';

const page = { sort: 'id', limit: 1_000 } as const;
/** Neither one chunk nor a multiple of one. */
const ROWS = 130;
/** No sweep of another test ends these orders. */
const FAR_AHEAD = NOW + 10 ** 11;

export function batchSuite(opened: Opened): void {
  it('locks the pets that the workspace has, and no others', async () => {
    const { store } = opened();
    const { workspaceId, categoryId, petId } = await newShop(store);
    const other = await newPet(store, workspaceId, { name: 'Ada', categoryId });
    const foreign = await newShop(store);
    const stocks = await store.transact((tx) =>
      tx.stock.lockMany(workspaceId, [other, foreign.petId, petId, 2 ** 50]),
    );
    expect([...stocks]).toEqual([
      [petId, oneUnit],
      [other, oneUnit],
    ]);
  });

  it('returns the ids of orders and ledger rows in the order in which they are given', async () => {
    const { store } = opened();
    const { workspaceId, petId } = await newShop(store, {
      quantity: 500,
      reserved: 0,
      held: false,
    });
    const orders = Array.from({ length: ROWS }, (_, at) => ({
      petId,
      quantity: 1 + (at % 2),
      complete: false,
      ...(at % 3 === 0 ? { shipDate: NOW + at } : {}),
      ...(at % 5 === 0 ? { expiresAt: FAR_AHEAD + at } : {}),
    }));
    const ids = await store.transact(async (tx) => {
      const orderIds = await tx.orders.insert(workspaceId, orders, NOW);
      const stockOf = (reserved: number) => ({ quantity: 500, reserved, held: false });
      const movements = await tx.stock.record(
        workspaceId,
        orderIds.map((orderId, at) => ({
          petId,
          cause: 'reserved' as const,
          before: stockOf(at),
          after: stockOf(at + 1),
          orderId,
          reason: `"it's" ${at}\\`,
          keyId: 'key',
        })),
        NOW,
      );
      return { orderIds, movementIds: movements.map((movement) => movement!.id) };
    });
    const { items } = await store.read.orders.list(workspaceId, {}, page);
    expect(items).toEqual(orders.map((order, at) => placedOrder(ids.orderIds[at]!, order, NOW)));
    const ledger = (await store.read.ledger.list(workspaceId, { petId }, page)).items.slice(1);
    expect(ledger.map(({ id }) => id)).toEqual(ids.movementIds);
    expect(ledger.map(({ orderId }) => orderId)).toEqual(ids.orderIds);
    expect(ledger.map(({ reservedAfter }) => reservedAfter)).toEqual(orders.map((_, at) => at + 1));
    expect(ledger[7]!.reason).toBe(`"it's" 7\\`);
  });

  it('changes no stock of a pet that was deleted since it was read', async () => {
    const { store } = opened();
    const { workspaceId, petId } = await newShop(store);
    await store.transact((tx) => tx.pets.hide(workspaceId, petId, NOW));
    const step = { petId, before: oneUnit, after: { ...oneUnit, reserved: 1 } };
    const sold = store.transact((tx) =>
      tx.stock.record(workspaceId, [{ ...step, cause: 'reserved' }], NOW),
    );
    const refused = await sold.catch((err: unknown) => err);
    expect(refused instanceof Conflict || refused instanceof StorageUnavailable).toBe(true);
  });

  it('changes no stock that is not as it was read', async () => {
    const { store } = opened();
    const { workspaceId, categoryId, petId } = await newShop(store);
    const other = await newPet(store, workspaceId, { name: 'Ada', categoryId });
    const after = { ...oneUnit, quantity: 3 };
    const change = (before: typeof oneUnit) =>
      store.transact((tx) =>
        tx.stock.record(
          workspaceId,
          [
            { petId, before: oneUnit, after, cause: 'set' },
            { petId: other, before, after, cause: 'set' },
          ],
          NOW,
        ),
      );
    const stale = await change({ ...oneUnit, quantity: 2 }).catch((err: unknown) => err);
    expect(stale instanceof Conflict || stale instanceof StorageUnavailable).toBe(true);
    expect((await store.read.stock.find(workspaceId, petId))!.stock).toEqual(oneUnit);
    await change(oneUnit);
    expect((await store.read.stock.find(workspaceId, other))!.stock).toEqual(after);
  });
}
