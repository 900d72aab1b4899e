import { beforeAll, describe, expect, it } from 'vitest';
import { absentIds, malformedIds, Shop } from '../../store/shop.ts';

describe('adjustInventory', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  const adjust = (pet: number | string, body: unknown) =>
    shop.send('POST', `/inventory/${pet}/adjustments`, body);

  it('adds units and returns the new ledger row', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    await shop.order(pet, 2);
    const answer = await adjust(pet, { delta: 4, reason: 'delivery', reference: 'PO-9' });
    expect(answer.status).toBe(201);
    const { item, ledger } = await shop.stateOf(pet);
    expect(answer.body).toEqual(ledger.at(-1));
    expect(answer.body).toEqual({
      id: expect.any(Number),
      petId: pet,
      cause: 'adjusted',
      quantityBefore: 3,
      quantityAfter: 7,
      reservedBefore: 2,
      reservedAfter: 2,
      reason: 'delivery',
      reference: 'PO-9',
      keyId: expect.any(String),
      at: expect.any(String),
    });
    expect(item).toMatchObject({ quantity: 7, reserved: 2, available: 5 });
  });

  it('removes units down to what is reserved', async () => {
    const pet = await shop.addPet({ quantity: 5 });
    await shop.order(pet, 2);
    expect((await adjust(pet, { delta: -3, reason: 'broken' })).status).toBe(201);
    expect((await shop.stateOf(pet)).item).toMatchObject({ quantity: 2, status: 'pending' });
  });

  it('omits the reference from a row that has none', async () => {
    const pet = await shop.addPet();
    const { body } = await adjust(pet, { delta: 1, reason: 'found' });
    expect(body).not.toHaveProperty('reference');
    expect(body).not.toHaveProperty('orderId');
  });

  it('refuses to raise the stock beyond its range, names delta, and changes nothing', async () => {
    const pet = await shop.addPet({ quantity: 999_999_999 });
    expect((await adjust(pet, { delta: 1, reason: 'last' })).status).toBe(201);
    const before = await shop.stateOf(pet);
    const answer = await adjust(pet, { delta: 1, reason: 'too many' });
    expect([answer.status, answer.body.details[0].field]).toEqual([400, 'delta']);
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('refuses to remove more units than there are, with the facts', async () => {
    const pet = await shop.addPet({ quantity: 2 });
    const before = await shop.stateOf(pet);
    const answer = await adjust(pet, { delta: -3, reason: 'broken' });
    expect([answer.status, answer.body.code]).toEqual([409, 'below_reserved']);
    expect(answer.body.details.reserved).toBe(0);
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it.each([
    ['no body', undefined, 'body'],
    ['no delta', { reason: 'x' }, 'delta'],
    ['no reason', { delta: 1 }, 'reason'],
    ['an empty reason', { delta: 1, reason: '' }, 'reason'],
    ['a delta of 0', { delta: 0, reason: 'x' }, 'delta'],
    ['a delta beyond the range', { delta: 1_000_000_001, reason: 'x' }, 'delta'],
    ['a delta below the range', { delta: -1_000_000_001, reason: 'x' }, 'delta'],
    ['a fraction', { delta: 0.5, reason: 'x' }, 'delta'],
    ['a text', { delta: '1', reason: 'x' }, 'delta'],
    ['a reason of 201 characters', { delta: 1, reason: 'x'.repeat(201) }, 'reason'],
    ['a field of no meaning', { delta: 1, reason: 'x', quantity: 5 }, 'quantity'],
  ])('refuses %s and changes nothing', async (_, body, field) => {
    const pet = await shop.addPet();
    const before = await shop.stateOf(pet);
    const answer = await adjust(pet, body);
    expect([answer.status, answer.body.details[0].field]).toEqual([400, field]);
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('adjusts once for one Idempotency-Key, also when it was refused', async () => {
    const pet = await shop.addPet({ quantity: 2 });
    const path = `/inventory/${pet}/adjustments`;
    const add = { body: { delta: 3, reason: 'x' }, headers: { 'idempotency-key': 'add' } };
    const first = await shop.call('POST', path, add);
    const again = await shop.call('POST', path, add);
    expect([again.status, again.text]).toEqual([201, first.text]);
    const take = { body: { delta: -9, reason: 'x' }, headers: { 'idempotency-key': 'take' } };
    expect((await shop.call('POST', path, take)).status).toBe(409);
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 100 });
    const replayed = await shop.call('POST', path, take);
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([409, 'true']);
    expect((await shop.stateOf(pet)).item.quantity).toBe(100);
  });

  it('does not store a refusal for the range', async () => {
    const pet = await shop.addPet({ quantity: 1_000_000_000 });
    const path = `/inventory/${pet}/adjustments`;
    const add = { body: { delta: 1, reason: 'x' }, headers: { 'idempotency-key': 'beyond' } };
    expect((await shop.call('POST', path, add)).status).toBe(400);
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 5 });
    expect((await shop.call('POST', path, add)).status).toBe(201);
  });

  it('finds no stock of a deleted, foreign or absent pet', async () => {
    const deleted = await shop.addPet();
    await shop.deletePet(deleted);
    const foreign = await shop.addPet();
    const body = { delta: 1, reason: 'x' };
    const key = await shop.app.addWorkspace();
    const path = `/inventory/${foreign}/adjustments`;
    expect((await shop.call('POST', path, { body, key })).status).toBe(404);
    expect((await shop.stateOf(foreign)).ledger).toHaveLength(1);
    for (const id of [deleted, ...absentIds]) expect((await adjust(id, body)).status).toBe(404);
    for (const id of malformedIds) expect((await adjust(id, body)).status).toBe(400);
  });
});
