import { beforeAll, describe, expect, it, vi } from 'vitest';
import { reconcile } from '../../../src/services/maintenance/reconcile.ts';
import { openStore } from '../../../src/stores.ts';
import { Shop } from '../../store/shop.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const WAIT = { timeout: 60_000, interval: 20 };

async function openShop(options: { isSweeping: boolean }): Promise<Shop> {
  const shop = new Shop(await testApp({ parts: options }));
  await shop.do('POST', '/categories', { name: 'Dogs' }, 201);
  return shop;
}

const inMs = ({ clock }: TestApp, ms: number) => new Date(clock.now() + ms).toISOString();
const expiringIn = (shop: Shop, ms: number) => ({ expiresAt: inMs(shop.app, ms) });

async function differencesIn({ app }: Shop) {
  const { store } = await openStore(app.config);
  try {
    return (await reconcile(store)).found;
  } finally {
    await store.close();
  }
}

describe('an order that expires', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop({ isSweeping: true });
  });
  const stateOf = async (order: number) => (await shop.do('GET', `/store/orders/${order}`)).state;
  const expired = (order: number) =>
    vi.waitFor(async () => expect(await stateOf(order)).toBe('expired'), WAIT);

  it('is open until its time has come, then expired, and its units are released once', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    const body = { petId: pet, quantity: 2, ...expiringIn(shop, 60_000) };
    const placed = await shop.do('POST', '/store/orders', body, 201);
    expect(placed).toMatchObject({
      complete: false,
      expiresAt: body.expiresAt.replace('.000', ''),
    });
    expect(await shop.do('GET', `/store/orders/${placed.id}`)).toEqual(placed);
    expect((await shop.stateOf(pet)).item.available).toBe(1);
    shop.app.clock.advance(60_000);
    await expired(placed.id);
    const { item, orders, ledger } = await shop.stateOf(pet);
    expect(item).toMatchObject({ quantity: 3, reserved: 0, available: 3, status: 'available' });
    expect(orders).toEqual([]);
    const { expiresAt: _, ...rest } = placed;
    expect(await shop.do('GET', `/store/orders/${placed.id}`)).toEqual({
      ...rest,
      state: 'expired',
      endedAt: ledger.at(-1)!.at,
      endReason: 'expired',
    });
    const cancelled = await shop.call('DELETE', `/store/orders/${placed.id}`);
    expect([cancelled.body.code, cancelled.body.details]).toEqual([
      'order_ended',
      { state: 'expired' },
    ]);
    const released = ledger.filter(({ cause }) => cause === 'released');
    expect(released).toMatchObject([{ orderId: placed.id, reason: 'expired', reservedAfter: 0 }]);
    expect(released[0]).not.toHaveProperty('keyId');
    expect(await differencesIn(shop)).toEqual({ reserved: [], ledger: [], links: [] });
  });

  it('emits order.expired with the order as it is then, and no key', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet, 1, expiringIn(shop, 60_000));
    const shown = await shop.do('GET', `/store/orders/${order}`);
    shop.app.clock.advance(60_000);
    await expired(order);
    const events = await shop.do('GET', '/events?type=order.*&limit=100');
    const ofOrder = events.filter((event: { data: { order: { id: number } } }) => {
      return event.data.order.id === order;
    });
    expect(ofOrder.map(({ type }: { type: string }) => type)).toEqual([
      'order.placed',
      'order.expired',
    ]);
    expect(ofOrder[0].data.order).toEqual(shown);
    const ended = await shop.do('GET', `/store/orders/${order}`);
    expect(ended.state).toBe('expired');
    expect(ofOrder[1].data.order).toEqual(ended);
    expect(ofOrder[1].data.inventory).toMatchObject({ petId: pet, reserved: 0 });
    expect(ofOrder[1]).not.toHaveProperty('keyId');
  });

  it('leaves no cached response that still shows it', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet, 1, expiringIn(shop, 60_000));
    const paths = [
      `/store/orders?petId=${pet}`,
      `/inventory/${pet}`,
      `/inventory/${pet}/movements`,
    ];
    const read = () => Promise.all(paths.map(async (path) => (await shop.call('GET', path)).text));
    const before = await read();
    shop.app.clock.advance(60_000);
    await vi.waitFor(async () => expect((await read())[0]).toBe('[]'), WAIT);
    const after = await read();
    expect(after[1]).not.toBe(before[1]);
    expect(after[2]).not.toBe(before[2]);
    expect(await stateOf(order)).toBe('expired');
  });

  it('stays for good when it is completed or no longer expires, and longer with a later time', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const [completed, kept, later, doomed] = await Promise.all(
      [1, 2, 3, 4].map(() => shop.order(pet, 1, expiringIn(shop, 60_000))),
    );
    const patch = (order: number, body: object) => shop.do('PATCH', `/store/orders/${order}`, body);
    expect(await patch(completed!, { complete: true })).not.toHaveProperty('expiresAt');
    expect(await patch(kept!, { expiresAt: null })).not.toHaveProperty('expiresAt');
    const { expiresAt } = expiringIn(shop, 3_600_000);
    expect((await patch(later!, { expiresAt })).expiresAt).toBe(expiresAt.replace('.000', ''));
    shop.app.clock.advance(60_000);
    await expired(doomed!);
    const states = () => Promise.all([completed, kept, later].map((order) => stateOf(order!)));
    expect(await states()).toEqual(['complete', 'open', 'open']);
    shop.app.clock.advance(3_600_000);
    await expired(later!);
    expect(await states()).toEqual(['complete', 'open', 'expired']);
  });

  it('expires once after a stop over its time, and not again when the clock is set back', async () => {
    const pet = await shop.addPet({ quantity: 2 });
    const order = await shop.order(pet, 1, expiringIn(shop, 60_000));
    const later = await shop.order(pet, 1, expiringIn(shop, 3_600_000));
    shop.app.clock.advance(30_000);
    await shop.app.restart();
    expect(await stateOf(order)).toBe('open');
    shop.app.clock.advance(30_000);
    await shop.app.restart();
    await expired(order);
    shop.app.clock.advance(-3_600_000);
    await shop.app.restart();
    const marker = await shop.order(await shop.addPet(), 1, expiringIn(shop, 3_600_001));
    shop.app.clock.advance(3_600_001);
    await expired(marker);
    expect(await stateOf(later)).toBe('open');
    const { ledger } = await shop.stateOf(pet);
    expect(ledger.filter(({ cause }) => cause === 'released')).toHaveLength(1);
  });

  it('is replayed under its Idempotency-Key after it has expired', async () => {
    const pet = await shop.addPet();
    const body = { petId: pet, ...expiringIn(shop, 60_000) };
    const place = () =>
      shop.call('POST', '/store/orders', {
        body,
        headers: { 'idempotency-key': `of ${pet}`.replace(' ', '-') },
      });
    const first = await place();
    shop.app.clock.advance(60_000);
    await expired(first.body.id);
    const again = await place();
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});

it('a clock that jumps two hours ahead and back ends holds by the clock, and keeps each ledger in order', async () => {
  const shop = await openShop({ isSweeping: true });
  const pet = await shop.addPet({ quantity: 9 });
  const stateOf = async (order: number) => (await shop.do('GET', `/store/orders/${order}`)).state;
  const expired = (order: number) =>
    vi.waitFor(async () => expect(await stateOf(order)).toBe('expired'), WAIT);
  const before = await shop.order(pet, 1, expiringIn(shop, 3 * HOUR_MS));
  shop.app.clock.advance(2 * HOUR_MS);
  const ahead = await shop.order(pet, 1, expiringIn(shop, HOUR_MS));
  shop.app.clock.advance(-2 * HOUR_MS);
  await shop.app.restart();
  const short = await shop.order(pet, 1, expiringIn(shop, 15 * MINUTE_MS));
  shop.app.clock.advance(15 * MINUTE_MS);
  await expired(short);
  expect([await stateOf(before), await stateOf(ahead)]).toEqual(['open', 'open']);
  shop.app.clock.advance(3 * HOUR_MS);
  await Promise.all([before, ahead].map(expired));

  const { ledger, item } = await shop.stateOf(pet);
  expect(item).toMatchObject({ quantity: 9, reserved: 0 });
  // It is listed by time: no row is earlier than one that was written before it.
  const ids = ledger.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  shop.app.clock.advance(MINUTE_MS);
  // At each instant of the ledger the stock is what the last row by then says.
  for (const at of new Set(ledger.map((row) => row.at))) {
    const last = ledger.findLast((row) => row.at === at)!;
    const then = await shop.do('GET', `/inventory/${pet}?asOf=${at}`);
    expect(then).toMatchObject({ quantity: last.quantityAfter, reserved: last.reservedAfter });
  }
  expect(await differencesIn(shop)).toEqual({ reserved: [], ledger: [], links: [] });
});

describe('an overdue order that no sweep has ended', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop({ isSweeping: false });
  });

  it('is an open order like any other', async () => {
    const pet = await shop.addPet({ quantity: 2 });
    const [completed, prolonged] = [
      await shop.order(pet, 1, expiringIn(shop, 60_000)),
      await shop.order(pet, 1, expiringIn(shop, 60_000)),
    ];
    shop.app.clock.advance(60_000);
    expect((await shop.stateOf(pet)).orders).toHaveLength(2);
    await shop.do('PATCH', `/store/orders/${completed}`, { complete: true });
    await shop.do('PATCH', `/store/orders/${prolonged}`, { expiresAt: null });
    expect((await shop.stateOf(pet)).item).toMatchObject({ quantity: 1, reserved: 1 });
  });

  it.each([{}, { 'idempotency-key': 'last-unit' }])(
    'gives its unit to the next buyer, with headers %j',
    async (headers) => {
      const pet = await shop.addPet();
      const neighbour = await shop.addPet();
      const overdue = await shop.order(pet, 1, expiringIn(shop, 60_000));
      const untouched = await shop.order(neighbour, 1, expiringIn(shop, 60_000));
      const refused = await shop.send('POST', '/store/orders', { petId: pet });
      expect([refused.status, refused.body.code]).toEqual([409, 'insufficient_stock']);
      shop.app.clock.advance(60_000);
      const bought = await shop.call('POST', '/store/orders', { body: { petId: pet }, headers });
      expect(bought.status, bought.text).toBe(201);
      expect((await shop.do('GET', `/store/orders/${overdue}`)).state).toBe('expired');
      expect((await shop.do('GET', `/store/orders/${untouched}`)).state).toBe('open');
      const { ledger } = await shop.stateOf(pet);
      expect(ledger.map(({ cause }) => cause)).toEqual([
        'created',
        'reserved',
        'released',
        'reserved',
      ]);
      const tooMany = await shop.send('POST', '/store/orders', { petId: pet, quantity: 2 });
      expect(tooMany.body.details).toEqual({ available: 0 });
    },
  );

  it('gives its units to an order that grows, which does not end itself', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    const overdue = await shop.order(pet, 2, expiringIn(shop, 60_000));
    const growing = await shop.order(pet, 1, expiringIn(shop, 60_000));
    shop.app.clock.advance(60_000);
    await shop.do('PATCH', `/store/orders/${growing}`, { quantity: 3 });
    expect((await shop.do('GET', `/store/orders/${overdue}`)).state).toBe('expired');
    expect((await shop.stateOf(pet)).item).toMatchObject({ quantity: 3, reserved: 3 });
    expect(await differencesIn(shop)).toEqual({ reserved: [], ledger: [], links: [] });
  });

  it('is not ended by a buyer of another workspace, or by one that is refused', async () => {
    const pet = await shop.addPet();
    const overdue = await shop.order(pet, 1, expiringIn(shop, 60_000));
    shop.app.clock.advance(60_000);
    const key = await shop.app.addWorkspace();
    const foreign = await shop.call('POST', '/store/orders', { body: { petId: pet }, key });
    expect(foreign.status).toBe(400);
    const refused = await shop.send('POST', '/store/orders', { petId: pet, quantity: 2 });
    expect([refused.status, refused.body.details]).toEqual([409, { available: 1 }]);
    expect((await shop.do('GET', `/store/orders/${overdue}`)).state).toBe('open');
  });

  it('is listed by expiresBefore, which includes the instant and no order without an expiry', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const { expiresAt } = expiringIn(shop, 50_000);
    const early = await shop.order(pet, 1, { expiresAt });
    await shop.order(pet, 1, expiringIn(shop, 50_001));
    await shop.order(pet);
    const completed = await shop.order(pet, 1, { expiresAt });
    await shop.do('PATCH', `/store/orders/${completed}`, { complete: true });
    const found = await shop.do('GET', `/store/orders?petId=${pet}&expiresBefore=${expiresAt}`);
    expect(found.map(({ id }: { id: number }) => id)).toEqual([early]);
  });
});

describe('an expiry that cannot be', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop({ isSweeping: false });
  });

  it.each([
    ['now', 0, {}],
    ['in the past', -1_000, {}],
    ['31 days ahead', 31 * DAY_MS, {}],
    ['that of an order that becomes complete', 60_000, { complete: true }],
  ])('is refused when it is %s, for a new order and for a change', async (_, ms, more) => {
    const pet = await shop.addPet({ quantity: 2 });
    const order = await shop.order(pet);
    const before = await shop.stateOf(pet);
    const body = { ...expiringIn(shop, ms), ...more };
    const answers = [
      await shop.send('POST', '/store/orders', { petId: pet, ...body }),
      await shop.send('PATCH', `/store/orders/${order}`, body),
    ];
    for (const { status, body: error } of answers) {
      expect([status, error.details[0].field]).toEqual([400, 'expiresAt']);
    }
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('is refused for a complete order', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet, 1, { complete: true });
    const answer = await shop.send('PATCH', `/store/orders/${order}`, expiringIn(shop, 60_000));
    expect([answer.status, answer.body.code]).toEqual([409, 'order_complete']);
  });

  it('shows the earlier expiry in the event of a change', async () => {
    const pet = await shop.addPet();
    const { expiresAt } = expiringIn(shop, 60_000);
    const order = await shop.order(pet, 1, { expiresAt });
    const { sequence } = (await shop.do('GET', '/events?limit=100')).at(-1);
    await shop.do('PATCH', `/store/orders/${order}`, { expiresAt: null });
    await shop.do('PATCH', `/store/orders/${order}`, { expiresAt });
    await shop.do('PATCH', `/store/orders/${order}`, { complete: true });
    const events = await shop.do('GET', `/events?after=${sequence}`);
    const at = expiresAt.replace('.000', '');
    expect(events).toMatchObject([
      { type: 'order.updated', before: { expiresAt: at } },
      { type: 'order.updated', before: { expiresAt: null }, data: { order: { expiresAt: at } } },
      { type: 'order.fulfilled' },
    ]);
    expect(events[2].data.order).not.toHaveProperty('expiresAt');
  });
});
