// Every row of the rule of stock, status and orders: what it allows, with its effect and its ledger rows, and what it
// refuses without any change.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  adjust,
  allowed,
  cancel,
  type Given,
  patch,
  refused,
  remove,
  type Shown,
  set,
  status,
} from './rule-rows.ts';
import { countsOf, type PetState, Shop } from './shop.ts';

async function prepare(shop: Shop, given: Given): Promise<[pet: number, orders: number[]]> {
  const { quantity, held = false, open = [], complete = 0 } = given;
  const pet = await shop.addPet({ quantity: quantity + complete });
  const orders: number[] = [];
  if (complete) orders.push(await shop.order(pet, complete, { complete: true }));
  for (const units of open) orders.push(await shop.order(pet, units));
  if (held && quantity > 0) await shop.do('PATCH', `/pets/${pet}`, { status: 'pending' });
  if (held && quantity === 0) {
    // A hold stays when the stock falls to 0.
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 1 });
    await shop.do('PATCH', `/pets/${pet}`, { status: 'pending' });
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 0 });
  }
  return [pet, orders];
}

function shown({ pet, item }: PetState): Shown {
  expect(pet.status).toBe(item.status);
  expect(item.available).toBe(item.quantity - item.reserved);
  return [item.quantity, item.reserved, item.status];
}

describe('the rule of stock, status and orders', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });

  it.each([
    ['available', 1, 'available'],
    ['pending', 1, 'pending'],
    ['sold', 0, 'sold'],
    [undefined, 1, 'available'],
  ])('creates a pet as %s with a stock of %d and one ledger row', async (wish, quantity, seen) => {
    const body = { name: 'Rex', categoryId: 1, ...(wish ? { status: wish } : {}) };
    const created = await shop.do('POST', '/pets', body, 201);
    const state = await shop.stateOf(created.id);
    expect(shown(state)).toEqual([quantity, 0, seen]);
    expect(state.ledger.map(countsOf)).toEqual([['created', [0, quantity], [0, 0]]]);
    const hold = await shop.send('POST', '/store/orders', { petId: created.id, quantity: 2 });
    expect(hold.body.code).toBe(wish === 'pending' ? 'pet_on_hold' : 'insufficient_stock');
  });

  it.each(allowed)('%s', async (_, given, act, after, rows) => {
    const [pet, orders] = await prepare(shop, given);
    const before = await shop.stateOf(pet);
    const answer = await act(shop, pet, orders);
    expect(answer.status, answer.text).toBeLessThan(300);
    const state = await shop.stateOf(pet);
    expect(shown(state)).toEqual(after);
    expect(state.ledger.slice(0, before.ledger.length)).toEqual(before.ledger);
    expect(state.ledger.slice(before.ledger.length).map(countsOf)).toEqual(rows);
    const open = state.orders.filter(({ complete }) => !complete);
    expect(open.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(after[1]);
  });

  it.each(refused)('refuses %s and changes nothing', async (_, given, act, code, details) => {
    const [pet, orders] = await prepare(shop, given);
    const before = await shop.stateOf(pet);
    const answer = await act(shop, pet, orders);
    expect(answer.body).toMatchObject({ status: 409, code, ...(details ? { details } : {}) });
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('refuses a patch with an impossible status and changes nothing', async () => {
    const pet = await shop.addPet({ quantity: 0 });
    const before = await shop.stateOf(pet);
    const answer = await shop.send('PATCH', `/pets/${pet}`, { name: 'Max', status: 'pending' });
    expect(answer.status).toBe(409);
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('keeps a hold until the status is set to available', async () => {
    const [pet, [order]] = await prepare(shop, { quantity: 5, held: true, open: [2] });
    await adjust(1)(shop, pet, []);
    await set(8)(shop, pet, []);
    await patch({ quantity: 3, complete: true })(shop, pet, [order!]);
    await status(null)(shop, pet, []);
    await status('sold')(shop, pet, []);
    await set(4)(shop, pet, []);
    expect(shown(await shop.stateOf(pet))).toEqual([4, 0, 'pending']);
    await status('available')(shop, pet, []);
    expect(shown(await shop.stateOf(pet))).toEqual([4, 0, 'available']);
  });

  it('does not hold a pet that is set to the pending that it already has', async () => {
    const [pet, orders] = await prepare(shop, { quantity: 1, open: [1] });
    await status('pending')(shop, pet, []);
    await cancel(shop, pet, orders);
    expect(shown(await shop.stateOf(pet))).toEqual([1, 0, 'available']);
  });

  it('deletes a pet after its orders are closed, and keeps the orders', async () => {
    const [pet, [order]] = await prepare(shop, { quantity: 2, open: [1] });
    await patch({ complete: true })(shop, pet, [order!]);
    expect((await remove(shop, pet, [])).status).toBe(204);
    expect((await shop.do('GET', `/store/orders/${order}`)).complete).toBe(true);
    expect((await remove(shop, pet, [])).status).toBe(404);
  });
});
