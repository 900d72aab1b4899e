// Many buyers at once, on one node and on two. No unit is sold twice, no buyer is refused while a unit is available,
// and every read in between shows consistent counts.

import { describe, expect, it } from 'vitest';
import type { InventoryItemView, MovementView } from '../../src/operations/views/inventory.ts';
import type { OrderView as Order } from '../../src/operations/views/order.ts';
import { repeats } from '../support/effort.ts';
import { type Crowd, gathering, type Reply } from './crowd.ts';

/** An even number. */
const PETS = repeats({ usual: 4, thorough: 32 });
const UNITS = 25;
/** Buyers per pet, alternating: fewer than there are units, and far more. */
const BUYERS = [20, 80];
const BUYERS_TOTAL = (PETS / 2) * (BUYERS[0]! + BUYERS[1]!);
const ROUNDS = repeats({ usual: 12, thorough: 200 });

const statusesOf = (replies: Reply[]) => replies.map(({ status }) => status).sort();
const times = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at));

/** The sale of one pet. */
interface Sale {
  pet: number;
  buyers: number;
  /** Buyers that will still release a unit; while there are any, a refused buyer tries again. */
  wavering: number;
  settled: PromiseWithResolvers<void>;
  sold: number;
}

/** Buys one unit if there is one. Some buyers order once, some complete, some cancel and order again. */
async function buy(crowd: Crowd, sale: Sale, nth: number): Promise<void> {
  if (nth % 4 === 0) await waver(crowd, sale);
  const wish = nth % 5 === 1 ? { complete: true } : {};
  const isLastWord = sale.wavering === 0;
  let placed = await crowd.place(sale.pet, wish);
  if (placed.status !== 201 && !isLastWord) {
    await sale.settled.promise;
    placed = await crowd.place(sale.pet, wish);
  }
  if (placed.status !== 201) {
    expect(placed.body).toMatchObject({ code: 'insufficient_stock', details: { available: 0 } });
    return;
  }
  sale.sold += 1;
  if (nth % 3 === 0 && !placed.body.complete) {
    expect((await crowd.complete(placed.body.id)).status).toBe(200);
  }
}

async function waver(crowd: Crowd, sale: Sale): Promise<void> {
  const { status, body } = await crowd.place(sale.pet);
  if (status === 201) expect((await crowd.cancel(body.id)).status).toBe(204);
  sale.wavering -= 1;
  if (sale.wavering === 0) sale.settled.resolve();
}

/** Reads the stock and the open orders of a pet repeatedly. */
async function watch(crowd: Crowd, pet: number, isOver: () => boolean) {
  const items: string[] = [];
  const orders: string[] = [];
  do {
    const item: InventoryItemView = (await crowd.call('GET', `/inventory/${pet}`)).body;
    items.push(`${item.quantity} ${item.reserved} ${item.status}`);
    const open = `/store/orders?petId=${pet}&complete=false&limit=100`;
    orders.push(openOrders((await crowd.call('GET', open)).body));
  } while (!isOver());
  return { pet, items, orders };
}

function openOrders(orders: Order[]): string {
  return orders.map(({ id, quantity }) => `${id}:${quantity}`).join(' ');
}

/** The stock and open orders after each row of the ledger. */
function momentsOf(ledger: MovementView[]): { item: string; orders: string }[] {
  const open = new Map<number, number>();
  return ledger.map((row) => {
    const { quantityAfter: quantity, reservedAfter: reserved, reservedBefore, orderId } = row;
    if (orderId !== undefined) {
      const held = (open.get(orderId) ?? 0) + reserved - reservedBefore;
      if (held === 0) open.delete(orderId);
      else open.set(orderId, held);
    }
    const status = quantity === 0 ? 'sold' : quantity === reserved ? 'pending' : 'available';
    const held = [...open].sort(([a], [b]) => a - b);
    return {
      item: `${quantity} ${reserved} ${status}`,
      orders: held.map(([id, units]) => `${id}:${units}`).join(' '),
    };
  });
}

/** Every read shows the state after one ledger row, and never an earlier one than the read before. */
function expectInOrder(looks: string[], moments: string[]): void {
  let at = 0;
  for (const look of looks) {
    const found = moments.indexOf(look, at);
    expect(found, `${look} after moment ${at} of ${moments.length}`).toBeGreaterThanOrEqual(0);
    at = found;
  }
}

describe('a crowd', () => {
  const crowd = gathering();
  const open = async (quantity: number, orders = 0) => {
    const pet = await crowd().shop.addPet({ quantity });
    const ids: number[] = [];
    for (let count = 0; count < orders; count++) ids.push(await crowd().shop.order(pet));
    return { pet, orders: ids };
  };

  it(`sells min(demand, stock) to ${BUYERS_TOTAL} buyers, and every read in between is consistent`, async () => {
    const { shop } = crowd();
    const sales: Sale[] = [];
    for (let at = 0; at < PETS; at++) {
      const buyers = BUYERS[at % 2]!;
      const { pet } = await open(UNITS);
      const wavering = Math.ceil(buyers / 4);
      sales.push({ pet, buyers, wavering, settled: Promise.withResolvers(), sold: 0 });
    }
    let isOver = false;
    const onlookers = crowd().others();
    const watching = sales.slice(0, 6).map(({ pet }) => watch(onlookers, pet, () => isOver));
    const buying = sales.flatMap((sale) => times(sale.buyers, (nth) => ({ sale, nth })));
    expect(buying).toHaveLength(BUYERS_TOTAL);
    // The buyers of all pets are interleaved.
    buying.sort((a, b) => a.nth - b.nth);
    await Promise.all(buying.map(({ sale, nth }) => buy(crowd(), sale, nth))).finally(() => {
      isOver = true;
    });

    for (const { pet, buyers, sold } of sales) {
      const orders = await shop.do<Order[]>('GET', `/store/orders?petId=${pet}&limit=100`);
      const unitsOf = (isComplete: boolean) =>
        orders.filter(({ complete }) => complete === isComplete).length;
      expect([sold, orders.length]).toEqual(times(2, () => Math.min(buyers, UNITS)));
      const item = await shop.do<InventoryItemView>('GET', `/inventory/${pet}`);
      expect(item.quantity).toBe(UNITS - unitsOf(true));
      expect(item.reserved).toBe(unitsOf(false));
    }
    const looks = await Promise.all(watching);
    onlookers.leave();
    for (const { pet, items, orders } of looks) {
      const moments = momentsOf(await shop.ledgerOf(pet));
      expectInOrder(
        items,
        moments.map(({ item }) => item),
      );
      expectInOrder(
        orders,
        moments.map((moment) => moment.orders),
      );
    }
  });

  it('sells the last unit to one of two buyers', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { pet } = await open(1);
      const complete = round % 2 === 0;
      const replies = await Promise.all([
        crowd().place(pet, { complete }),
        crowd().place(pet, { complete: round % 4 === 0 }),
      ]);
      expect(statusesOf(replies)).toEqual([201, 409]);
    }
  });

  it('releases the units once when an order is cancelled many times at once', async () => {
    for (let round = 0; round < ROUNDS / 4; round++) {
      const { pet, orders } = await open(5, 2);
      const replies = await Promise.all(times(4, () => crowd().cancel(orders[0]!)));
      expect(statusesOf(replies)).toEqual([204, 409, 409, 409]);
      const { item, ledger } = await crowd().shop.stateOf(pet);
      expect(item).toMatchObject({ quantity: 5, reserved: 1 });
      expect(ledger.filter(({ cause }) => cause === 'released')).toHaveLength(1);
    }
  });

  it('takes the units once when an order is completed many times at once', async () => {
    for (let round = 0; round < ROUNDS / 4; round++) {
      const { pet, orders } = await open(5, 2);
      const replies = await Promise.all(times(4, () => crowd().complete(orders[0]!)));
      expect(statusesOf(replies)).toEqual([200, 409, 409, 409]);
      expect((await crowd().shop.stateOf(pet)).item).toMatchObject({ quantity: 4, reserved: 1 });
    }
  });

  it('either completes or cancels an order, never both', async () => {
    for (let round = 0; round < ROUNDS / 2; round++) {
      const { pet, orders } = await open(3, 1);
      const [completed, cancelled] = await Promise.all([
        crowd().complete(orders[0]!),
        crowd().cancel(orders[0]!),
      ]);
      const { item } = await crowd().shop.stateOf(pet);
      const outcome = [completed.status, cancelled.status, item.quantity, item.reserved];
      expect([
        [200, 409, 2, 0],
        [409, 204, 3, 0],
      ]).toContainEqual(outcome);
    }
  });

  it('raises only one of two orders into the last unit', async () => {
    for (let round = 0; round < ROUNDS / 4; round++) {
      const { pet, orders } = await open(3, 2);
      const raise = (order: number) =>
        crowd().call('PATCH', `/store/orders/${order}`, { quantity: 2 });
      const replies = await Promise.all(orders.map(raise));
      expect(statusesOf(replies)).toEqual([200, 409]);
      expect((await crowd().shop.stateOf(pet)).item).toMatchObject({ quantity: 3, reserved: 3 });
    }
  });

  it('either deletes a pet or accepts an order of it', async () => {
    for (let round = 0; round < ROUNDS / 2; round++) {
      const { pet } = await open(1);
      const [placed, deleted] = await Promise.all([
        crowd().place(pet),
        crowd().call('DELETE', `/pets/${pet}`),
      ]);
      const outcome = [placed.status, deleted.status];
      expect([
        [201, 409],
        [400, 204],
      ]).toContainEqual(outcome);
    }
  });

  it('loses no adjustment among orders and set counts', async () => {
    const { pet } = await open(50);
    const adjust = () =>
      crowd().call('POST', `/inventory/${pet}/adjustments`, { delta: 1, reason: 'race' });
    const replies = await Promise.all(
      times(60, (nth) => (nth % 2 === 0 ? adjust() : crowd().place(pet))),
    );
    expect(statusesOf(replies)).toEqual(times(60, () => 201));
    const { item, ledger } = await crowd().shop.stateOf(pet);
    expect(item).toMatchObject({ quantity: 80, reserved: 30 });
    for (const [at, row] of ledger.entries()) {
      const { quantityAfter = 0, reservedAfter = 0 } = ledger[at - 1] ?? {};
      expect([row.quantityBefore, row.reservedBefore]).toEqual([quantityAfter, reservedAfter]);
    }
  });

  it('places one order for one Idempotency-Key that is sent many times at once', async () => {
    for (let round = 0; round < ROUNDS / 4; round++) {
      const { pet } = await open(9);
      const send = () => crowd().call('POST', '/store/orders', { petId: pet }, `race-${pet}`);
      const replies = await Promise.all(times(5, send));
      const placed = replies.filter(({ status }) => status === 201);
      expect(new Set(placed.map(({ body }) => body.id)).size).toBe(1);
      for (const { status, body } of replies) {
        if (status !== 201) expect(body.code).toBe('idempotency_in_progress');
      }
      expect((await crowd().shop.stateOf(pet)).item.reserved).toBe(1);
    }
  });
});
