import { beforeAll, describe, expect, it } from 'vitest';
import { absentIds, malformedIds, Shop } from '../../store/shop.ts';

describe('updateOrder', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  const patch = (order: number | string, body: unknown) =>
    shop.send('PATCH', `/store/orders/${order}`, body);

  it('changes nothing with an empty patch, of an open order and of a complete one', async () => {
    const pet = await shop.addPet({ quantity: 2 });
    const open = await shop.order(pet, 1, { shipDate: '2026-06-01T00:00:00Z' });
    const complete = await shop.order(pet, 1, { complete: true });
    const before = await shop.stateOf(pet);
    for (const order of [open, complete]) {
      const read = await shop.call('GET', `/store/orders/${order}`);
      const answer = await patch(order, {});
      expect([answer.status, answer.text]).toEqual([200, read.text]);
      expect(answer.headers.get('etag')).toBe(read.headers.get('etag'));
    }
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('sets the ship date in UTC, keeps it through other changes, and clears it by null', async () => {
    const pet = await shop.addPet({ quantity: 5 });
    const order = await shop.order(pet);
    const shipDate = '2028-02-29T23:00:00-03:00';
    expect((await patch(order, { shipDate })).body.shipDate).toBe('2028-03-01T02:00:00Z');
    const changed = await patch(order, { quantity: 2 });
    expect(changed.body).toMatchObject({ quantity: 2, shipDate: '2028-03-01T02:00:00Z' });
    const cleared = await patch(order, { shipDate: null });
    expect(cleared.body).not.toHaveProperty('shipDate');
    expect(await shop.do('GET', `/store/orders/${order}`)).toEqual(cleared.body);
    expect((await shop.stateOf(pet)).ledger).toHaveLength(4);
  });

  it('leaves an open order open by complete: false', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet);
    const before = await shop.stateOf(pet);
    expect((await patch(order, { complete: false })).status).toBe(200);
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('accepts the largest quantity', async () => {
    const pet = await shop.addPet({ quantity: 1_000_000 });
    const order = await shop.order(pet);
    expect((await patch(order, { quantity: 1_000_000 })).status).toBe(200);
    expect((await shop.stateOf(pet)).item).toMatchObject({ available: 0, status: 'pending' });
  });

  it.each([
    ['a quantity of 0', { quantity: 0 }, 'quantity'],
    ['a quantity beyond', { quantity: 1_000_001 }, 'quantity'],
    ['a quantity in a text', { quantity: '2' }, 'quantity'],
    ['quantity null', { quantity: null }, 'quantity'],
    ['complete null', { complete: null }, 'complete'],
    ['complete as a text', { complete: 'true' }, 'complete'],
    ['30 February', { shipDate: '2026-02-30T00:00:00Z' }, 'shipDate'],
    ['a date without offset', { shipDate: '2026-02-01T00:00:00' }, 'shipDate'],
    ['an empty date', { shipDate: '' }, 'shipDate'],
    ['another pet', { petId: 1 }, 'petId'],
  ])('refuses %s, names the field and changes nothing', async (_, body, field) => {
    const pet = await shop.addPet({ quantity: 2_000_000 });
    const order = await shop.order(pet);
    const before = await shop.stateOf(pet);
    const answer = await patch(order, { ...body });
    expect([answer.status, answer.body.details[0].field]).toEqual([400, field]);
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it.each([
    { complete: true },
    { complete: false },
    { quantity: 2 },
    { quantity: 1 },
    { shipDate: '2026-06-01T00:00:00Z' },
    { shipDate: null },
  ])('refuses %j for a complete order and changes nothing', async (body) => {
    const pet = await shop.addPet({ quantity: 5 });
    const order = await shop.order(pet);
    await shop.do('PATCH', `/store/orders/${order}`, { complete: true });
    const before = await shop.stateOf(pet);
    const answer = await patch(order, body);
    expect([answer.status, answer.body.code]).toEqual([409, 'order_complete']);
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('applies all of a patch or nothing', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    const order = await shop.order(pet, 1);
    const before = await shop.stateOf(pet);
    const tooMany = { quantity: 4, complete: true, shipDate: '2026-06-01T00:00:00Z' };
    const answer = await patch(order, tooMany);
    expect([answer.status, answer.body.details]).toEqual([409, { available: 2 }]);
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('refuses a stale If-Match and changes nothing; accepts the current one and *', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const order = await shop.order(pet);
    const path = `/store/orders/${order}`;
    const etag = (await shop.call('GET', path)).headers.get('etag')!;
    const changed = await patch(order, { quantity: 2 });
    const before = await shop.stateOf(pet);
    for (const stale of [etag, `W/${changed.headers.get('etag')}`, '"x"']) {
      const body = { complete: true };
      const refused = await shop.call('PATCH', path, { body, headers: { 'if-match': stale } });
      expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed']);
    }
    expect(await shop.stateOf(pet)).toEqual(before);
    const current = { 'if-match': `"x", ${changed.headers.get('etag')}` };
    const taken = await shop.call('PATCH', path, { body: { quantity: 3 }, headers: current });
    expect(taken.status).toBe(200);
    const any = { body: { quantity: 4 }, headers: { 'if-match': '*' } };
    expect((await shop.call('PATCH', path, any)).status).toBe(200);
  });

  it('fulfils once under one Idempotency-Key', async () => {
    const pet = await shop.addPet({ quantity: 4 });
    const order = await shop.order(pet, 2);
    const options = { body: { complete: true }, headers: { 'idempotency-key': 'fulfil' } };
    const first = await shop.call('PATCH', `/store/orders/${order}`, options);
    const after = await shop.stateOf(pet);
    const again = await shop.call('PATCH', `/store/orders/${order}`, options);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(await shop.stateOf(pet)).toEqual(after);
  });

  it('finds no foreign or absent order', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet);
    const key = await shop.app.addWorkspace();
    const body = { complete: true };
    expect((await shop.call('PATCH', `/store/orders/${order}`, { body, key })).status).toBe(404);
    expect((await shop.stateOf(pet)).item.reserved).toBe(1);
    for (const id of absentIds) expect((await patch(id, body)).status).toBe(404);
    for (const id of malformedIds) expect((await patch(id, body)).status).toBe(400);
  });

  it('refuses any change of a cancelled order, says its state, and accepts an empty change', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet);
    await shop.do('DELETE', `/store/orders/${order}`, undefined, 204);
    const before = await shop.stateOf(pet);
    const shown = await shop.do('GET', `/store/orders/${order}`);
    for (const body of [{ complete: true }, { complete: false }, { quantity: 1 }]) {
      const refused = await patch(order, body);
      expect([refused.status, refused.body.code]).toEqual([409, 'order_ended']);
      expect(refused.body.details).toEqual({ state: 'cancelled' });
    }
    const empty = await patch(order, {});
    expect([empty.status, empty.body]).toEqual([200, shown]);
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('refuses to change the order of a deleted pet, which is complete', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet, 1, { complete: true });
    await shop.deletePet(pet);
    expect((await patch(order, { quantity: 2 })).body.code).toBe('order_complete');
    expect((await patch(order, {})).status).toBe(200);
  });
});
