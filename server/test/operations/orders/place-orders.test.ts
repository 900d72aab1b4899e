import { beforeAll, describe, expect, it } from 'vitest';
import { placeIn } from '../../datastore/fixture.ts';
import { Shop } from '../../store/shop.ts';
import { expectDocumented, expectError } from '../../support/contract.ts';

interface Row {
  order?: { id: number; petId: number; quantity: number };
  error?: { code: string; message: string; details?: unknown };
}

let shop: Shop;
const absentPet = 999_999_999;

beforeAll(async () => {
  shop = await Shop.open();
});

function send(body: unknown, headers: Record<string, string> = {}, search = '') {
  return shop.call<{ placed: number; refused: number; results: Row[] }>(
    'POST',
    `/store/orders/batch${search}`,
    { body, headers },
  );
}

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
const bodyOf = (answer: { body: unknown }) => answer.body as any;

describe('placeOrders', () => {
  it('places all orders in their order, each with its ledger row and its events', async () => {
    const [first, second] = [await shop.addPet({ quantity: 5 }), await shop.addPet()];
    const shipDate = '2026-12-24T10:00:00Z';
    const orders = [
      { petId: first, quantity: 2, shipDate },
      { petId: second, complete: true },
      { petId: first, quantity: 3 },
    ];
    const { lastSequence } = await shop.app.transact((tx) => tx.events.head(1));
    const answer = await send({ orders });
    expect(answer.status, answer.text).toBe(200);
    expectDocumented('placeOrders', answer);
    expect(answer.body).toMatchObject({ placed: 3, refused: 0 });
    const placed = answer.body.results.map(({ order }) => order!);
    expect(placed).toMatchObject([
      { petId: first, quantity: 2, shipDate, complete: false },
      { petId: second, quantity: 1, complete: true },
      { petId: first, quantity: 3, complete: false },
    ]);
    const ids = placed.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    for (const order of placed) {
      expect((await shop.call('GET', `/store/orders/${order.id}`)).body).toEqual(order);
    }
    const state = await shop.stateOf(first);
    expect(state.item).toMatchObject({ quantity: 5, reserved: 5, available: 0 });
    const rows = state.ledger.filter(({ cause }) => cause === 'reserved');
    expect(rows.map(({ orderId, reservedAfter }) => [orderId, reservedAfter])).toEqual([
      [ids[0], 2],
      [ids[2], 5],
    ]);
    expect((await shop.stateOf(second)).item).toMatchObject({ quantity: 0, reserved: 0 });
    const events = await shop.do('GET', `/events?limit=100&after=${lastSequence}`);
    const emitted = events.map(
      ({ type, data }: { type: string; data: { order?: { id: number } } }) => [
        type,
        data.order?.id,
      ],
    );
    expect(emitted.slice(-4)).toEqual([
      ['order.placed', ids[0]],
      ['order.placed', ids[1]],
      ['order.fulfilled', ids[1]],
      ['order.placed', ids[2]],
    ]);
    expect(events.at(-4).data.order).toEqual(placed[0]);
  });

  it('emits for each order what placeOrder emits', async () => {
    const low = { body: { lowStockAt: 1 } };
    expect((await shop.call('PATCH', '/workspace', low)).status).toBe(200);
    const eventsOf = async (place: (petId: number) => Promise<unknown>) => {
      const petId = await shop.addPet({ quantity: 3 });
      const { lastSequence } = await shop.app.transact(async (tx) => {
        await tx.events.numberArrivals(1);
        return tx.events.head(1);
      });
      await place(petId);
      const events = await shop.do('GET', `/events?limit=100&after=${lastSequence}`);
      // What is unlike in any two events: places, instants and ids.
      return JSON.stringify(events, (name, value) =>
        /^(id|sequence|timestamp|petId|createdAt|endedAt|orderId|at)$/.test(name)
          ? undefined
          : value,
      );
    };
    for (const wish of [{ quantity: 2 }, { quantity: 2, complete: true }]) {
      const single = await eventsOf((petId) => shop.order(petId, 2, wish));
      const batch = await eventsOf((petId) => send({ orders: [{ petId, ...wish }] }));
      expect(batch).toBe(single);
      expect(batch).toContain('inventory.low');
    }
    await shop.call('PATCH', '/workspace', { body: { lowStockAt: null } });
  });

  it('counts a batch together: three lines of a pet with two units refuse all', async () => {
    const petId = await shop.addPet({ quantity: 2 });
    const orders = [{ petId }, { petId }, { petId }];
    const answer = await send({ orders });
    expectError(answer, 'insufficient_stock');
    expectDocumented('placeOrders', answer);
    expect(bodyOf(answer).details).toEqual({ index: 2, petId, available: 0 });
    const { item, orders: placed, ledger } = await shop.stateOf(petId);
    expect([item.reserved, placed, ledger.length]).toEqual([0, [], 2]);
  });

  it('names the first order that does not fit and what is left for it', async () => {
    const [petId, held] = [await shop.addPet({ quantity: 5 }), await shop.addPet({ held: true })];
    const orders = [{ petId, quantity: 3 }, { petId, quantity: 3 }, { petId: held }];
    const answer = await send({ orders, mode: 'all' });
    expectError(answer, 'insufficient_stock');
    expect(bodyOf(answer).details).toEqual({ index: 1, petId, available: 2 });
    expect(bodyOf(answer).message).toContain('orders.1: ');
    const onHold = await send({ orders: [{ petId }, { petId: held }] });
    expectError(onHold, 'pet_on_hold');
    expect(bodyOf(onHold).details).toEqual({ index: 1, petId: held, available: 1 });
    expect((await shop.stateOf(petId)).item.reserved).toBe(0);
  });

  it('refuses invalid rows and unknown pets, and names every one of them', async () => {
    const [petId, held] = [await shop.addPet(), await shop.addPet({ held: true })];
    const orders = [
      { petId },
      { petId: absentPet },
      { petId: held },
      { petId, quantity: 0 },
      7,
      { petId, colour: 'red' },
    ];
    const answer = await send({ orders });
    expectError(answer, 'invalid_request');
    const fields = bodyOf(answer).details.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(['orders.1.petId', 'orders.3.quantity', 'orders.4', 'orders.5.colour']);
    expect((await shop.stateOf(petId)).orders).toEqual([]);
  });

  it('places each order by itself in mode each, and says why others are refused', async () => {
    const [petId, held] = [await shop.addPet({ quantity: 3 }), await shop.addPet({ held: true })];
    const orders = [
      { petId, quantity: 2 },
      { petId, quantity: 2 },
      { petId: held },
      { petId: absentPet },
      { petId, quantity: 0 },
      'none',
      { petId, quantity: 1 },
    ];
    const answer = await send({ orders, mode: 'each' });
    expect(answer.status, answer.text).toBe(200);
    expectDocumented('placeOrders', answer);
    expect(answer.body).toMatchObject({ placed: 2, refused: 5 });
    const { results } = answer.body;
    expect(results.map(({ error, order }) => error?.code ?? order!.quantity)).toEqual([
      2,
      'insufficient_stock',
      'pet_on_hold',
      'invalid_request',
      'invalid_request',
      'invalid_request',
      1,
    ]);
    expect(results[1]!.error).toMatchObject({ details: { available: 1 } });
    expect(results[3]!.error).toMatchObject({ details: [{ field: 'petId' }] });
    expect(results[4]!.error).toMatchObject({ details: [{ field: 'quantity' }] });
    const { item, orders: placed } = await shop.stateOf(petId);
    expect([item.reserved, placed.length]).toEqual([3, 2]);
  });

  it('replays the stored result, with the same ids', async () => {
    const petId = await shop.addPet({ quantity: 5 });
    const headers = { 'idempotency-key': 'cart' };
    const first = await send({ orders: [{ petId }, { petId }] }, headers);
    const again = await send({ orders: [{ petId }, { petId }] }, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    expect((await shop.stateOf(petId)).item.reserved).toBe(2);
  });

  it('shows in a dry run which orders would be placed, and places none', async () => {
    const petId = await shop.addPet({ quantity: 2 });
    const orders = [{ petId, quantity: 2 }, { petId }];
    const each = await send({ orders, mode: 'each' }, {}, '?dryRun=true');
    expect(each.body.results).toMatchObject([{}, { error: { code: 'insufficient_stock' } }]);
    expect(each.body.results[0]).toEqual({});
    expectError(await send({ orders }, {}, '?dryRun=true'), 'insufficient_stock');
    expect((await shop.stateOf(petId)).item.reserved).toBe(0);
  });

  it('takes 1 to 100 orders and no other mode', async () => {
    const petId = await shop.addPet({ quantity: 200 });
    const many = (count: number) => Array.from({ length: count }, () => ({ petId }));
    for (const body of [{ orders: [] }, { orders: many(101) }, { orders: many(1), mode: 'some' }]) {
      expectError(await send(body), 'invalid_request');
    }
    expect((await send({ orders: many(100) })).body).toMatchObject({ placed: 100 });
    expect((await shop.ledgerOf(petId)).length).toBe(102);
  });

  it('ends overdue orders where units are lacking, before any order of the batch', async () => {
    const [petId, other] = [await shop.addPet({ quantity: 2 }), await shop.addPet({ quantity: 2 })];
    const { clock } = shop.app;
    const due = await shop.app.transact(async (tx) => {
      const now = clock.now();
      const why = { keyId: 'key', at: now };
      const order = { quantity: 2, complete: false, expiresAt: now + 1 };
      await tx.stock.lockMany(1, [petId, other]);
      return [
        await placeIn(tx, 1, { ...order, petId }, why),
        await placeIn(tx, 1, { ...order, petId: other, expiresAt: now + 600_000 }, why),
      ];
    });
    clock.advance(2);
    const answer = await send({ orders: [{ petId }, { petId }, { petId: other }], mode: 'each' });
    expect(answer.body, answer.text).toMatchObject({ placed: 2, refused: 1 });
    expect((await shop.do('GET', `/store/orders/${due[0]}`)).state).toBe('expired');
    expect((await shop.do('GET', `/store/orders/${due[1]}`)).state).toBe('open');
    const { item, ledger } = await shop.stateOf(petId);
    expect(item).toMatchObject({ quantity: 2, reserved: 2 });
    const causes = ledger.slice(-3).map(({ cause, reason }) => [cause, reason]);
    expect(causes).toEqual([
      ['released', 'expired'],
      ['reserved', undefined],
      ['reserved', undefined],
    ]);
  });

  it('keeps the time at which an order of the batch expires, and refuses one that is over', async () => {
    const petId = await shop.addPet({ quantity: 3 });
    const at = (ms: number) => new Date(shop.app.clock.now() + ms).toISOString();
    const orders = [
      { petId, expiresAt: at(600_000) },
      { petId, expiresAt: at(-1_000) },
      { petId, expiresAt: at(600_000), complete: true },
    ];
    const refused = await send({ orders });
    expectError(refused, 'invalid_request');
    const fields = bodyOf(refused).details.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(['orders.1.expiresAt', 'orders.2.expiresAt']);
    const { results } = (await send({ orders: orders.slice(0, 1) })).body;
    const path = `/store/orders/${results[0]!.order!.id}`;
    expect((await shop.do('GET', path)).expiresAt).toBe(orders[0]!.expiresAt);
  });

  it('does not see pets of another workspace', async () => {
    const key = await shop.app.addWorkspace();
    const petId = await shop.addPet();
    const answer = await shop.call('POST', '/store/orders/batch', {
      body: { orders: [{ petId }] },
      key,
    });
    expectError(answer, 'invalid_request');
    expect(answer.body.details[0].field).toBe('orders.0.petId');
  });
});
