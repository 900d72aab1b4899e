import { beforeAll, describe, expect, it } from 'vitest';
import { absentIds, malformedIds, Shop } from '../../store/shop.ts';

describe('cancelOrder', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  const cancel = (order: number | string, headers: Record<string, string> = {}) =>
    shop.call('DELETE', `/store/orders/${order}`, { headers });

  it('releases the units, returns 204 without a body, and the order is listed no longer', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    const order = await shop.order(pet, 3);
    expect((await shop.stateOf(pet)).pet.status).toBe('pending');
    const answer = await cancel(order);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { item, orders } = await shop.stateOf(pet);
    expect(item).toMatchObject({ quantity: 3, reserved: 0, available: 3, status: 'available' });
    expect(orders).toEqual([]);
    expect((await shop.do('GET', `/store/orders/${order}`)).state).toBe('cancelled');
  });

  it('keeps the reason, for the order, its ledger row and its event', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet);
    expect((await cancel(`${order}?reason=%20Found%20elsewhere%20`)).status).toBe(204);
    const shown = await shop.do('GET', `/store/orders/${order}`);
    expect(shown.endReason).toBe('Found elsewhere');
    expect((await shop.ledgerOf(pet)).at(-1)).toMatchObject({
      cause: 'released',
      reason: 'Found elsewhere',
    });
    const event = (await shop.do('GET', '/events?type=order.cancelled&limit=100')).at(-1);
    expect(event.data.order).toEqual(shown);
  });

  it('refuses a reason that is blank, too long or has control characters, and cancels nothing', async () => {
    const order = await shop.order(await shop.addPet());
    for (const reason of ['', '%20', 'a'.repeat(201), 'a%0Ab', 'a%0A']) {
      const refused = await cancel(`${order}?reason=${reason}`);
      expect([refused.status, refused.body.details[0].field]).toEqual([400, 'reason']);
    }
    expect((await shop.do('GET', `/store/orders/${order}`)).state).toBe('open');
    expect((await cancel(`${order}?reason=${'é'.repeat(200)}`)).status).toBe(204);
  });

  it('releases the units exactly once', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    const order = await shop.order(pet, 1);
    await shop.order(pet, 1);
    expect((await cancel(order)).status).toBe(204);
    const once = await shop.stateOf(pet);
    const again = await cancel(order);
    expect([again.status, again.body.code]).toEqual([409, 'order_ended']);
    expect(again.body.details).toEqual({ state: 'cancelled' });
    expect(await shop.stateOf(pet)).toEqual(once);
    expect(once.item.reserved).toBe(1);
  });

  it('releases the current quantity, not the one it was placed with', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const order = await shop.order(pet, 2);
    await shop.do('PATCH', `/store/orders/${order}`, { quantity: 7 });
    await cancel(order);
    expect((await shop.stateOf(pet)).item).toMatchObject({ quantity: 9, reserved: 0 });
  });

  it('never reuses the id of a cancelled order', async () => {
    const pet = await shop.addPet();
    const first = await shop.order(pet);
    await cancel(first);
    expect(await shop.order(pet)).toBeGreaterThan(first);
  });

  it('does not lift a hold', async () => {
    const pet = await shop.addPet({ quantity: 2 });
    const order = await shop.order(pet);
    await shop.do('PATCH', `/pets/${pet}`, { status: 'pending' });
    await cancel(order);
    expect((await shop.stateOf(pet)).pet.status).toBe('pending');
  });

  it('refuses a stale If-Match and changes nothing; accepts the current one', async () => {
    const pet = await shop.addPet({ quantity: 5 });
    const order = await shop.order(pet);
    const etag = (await shop.call('GET', `/store/orders/${order}`)).headers.get('etag')!;
    await shop.do('PATCH', `/store/orders/${order}`, { quantity: 2 });
    const before = await shop.stateOf(pet);
    expect((await cancel(order, { 'if-match': etag })).status).toBe(412);
    expect(await shop.stateOf(pet)).toEqual(before);
    const current = (await shop.call('GET', `/store/orders/${order}`)).headers.get('etag')!;
    expect((await cancel(order, { 'if-match': current })).status).toBe(204);
  });

  it('returns 204 again for one Idempotency-Key and releases once', async () => {
    const pet = await shop.addPet({ quantity: 5 });
    const order = await shop.order(pet, 2);
    await shop.order(pet, 2);
    const headers = { 'idempotency-key': 'cancel' };
    expect((await cancel(order, headers)).status).toBe(204);
    const again = await cancel(order, headers);
    expect([again.status, again.text]).toEqual([204, '']);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await shop.stateOf(pet)).item.reserved).toBe(2);
  });

  it('refuses to cancel a complete order, also of a deleted pet, and changes nothing', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    const order = await shop.order(pet, 2, { complete: true });
    const before = await shop.stateOf(pet);
    const refused = await cancel(order);
    expect([refused.status, refused.body.code]).toEqual([409, 'order_complete']);
    expect(await shop.stateOf(pet)).toEqual(before);
    await shop.deletePet(pet);
    expect((await cancel(order)).body.code).toBe('order_complete');
    expect((await shop.call('GET', `/store/orders/${order}`)).status).toBe(200);
  });

  it('finds no foreign or absent order', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet);
    const key = await shop.app.addWorkspace();
    expect((await shop.call('DELETE', `/store/orders/${order}`, { key })).status).toBe(404);
    expect((await shop.stateOf(pet)).item.reserved).toBe(1);
    for (const id of absentIds) expect((await cancel(id)).status).toBe(404);
    for (const id of malformedIds) expect((await cancel(id)).status).toBe(400);
  });

  it('is marked beta', async () => {
    const order = await shop.order(await shop.addPet());
    expect((await cancel(order)).headers.get('x-stability')).toBe('beta');
  });
});
