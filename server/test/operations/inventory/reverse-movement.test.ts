import { beforeAll, describe, expect, it } from 'vitest';
import type { MovementView } from '../../../src/operations/views/inventory.ts';
import { absentIds, malformedIds, Shop } from '../../store/shop.ts';

describe('reverseMovement', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  const pathOf = (pet: number | string, movement: number | string) =>
    `/inventory/${pet}/movements/${movement}/reversal`;
  const undo = (pet: number, movement: number, body?: object) =>
    shop.call('POST', pathOf(pet, movement), body ? { body } : {});
  const lastOf = async (pet: number): Promise<MovementView> =>
    (await shop.do('GET', `/inventory/${pet}/movements?sort=-id&limit=1`))[0];
  const set = async (pet: number, quantity: number) => {
    await shop.do('PATCH', `/inventory/${pet}`, { quantity });
    return (await lastOf(pet)).id;
  };
  const quantityOf = async (pet: number) => (await shop.stateOf(pet)).item.quantity;

  it('takes back a count that was set wrongly and keeps the sales since', async () => {
    const pet = await shop.addPet({ quantity: 16_000 });
    const wrong = await set(pet, 160_000);
    await shop.order(pet, 20, { complete: true });
    await shop.order(pet, 30, { complete: true });
    const { status, body } = await undo(pet, wrong, { reason: 'a zero too many' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      petId: pet,
      cause: 'adjusted',
      quantityBefore: 159_950,
      quantityAfter: 15_950,
      reason: 'a zero too many',
      reverses: wrong,
    });
    expect(await lastOf(pet)).toEqual(body);
    const { ledger } = await shop.stateOf(pet);
    expect(ledger.find(({ id }) => id === wrong)).toMatchObject({ reversedBy: body.id });
    expect(ledger.filter((row) => 'reverses' in row || 'reversedBy' in row)).toHaveLength(2);
  });

  it('takes back an adjustment and a sale, without a reason and without a body', async () => {
    const pet = await shop.addPet({ quantity: 5 });
    const { id } = await shop.do(
      'POST',
      `/inventory/${pet}/adjustments`,
      { delta: -2, reason: 'lost' },
      201,
    );
    const found = await undo(pet, id, {});
    expect(found.status, found.text).toBe(201);
    expect(found.body).not.toHaveProperty('reason');
    await shop.do('PATCH', `/pets/${pet}`, { status: 'sold' });
    expect(await quantityOf(pet)).toBe(0);
    expect((await undo(pet, (await lastOf(pet)).id)).status).toBe(201);
    expect(await quantityOf(pet)).toBe(5);
  });

  it('takes a row back once; reversing the reversal restores it', async () => {
    const pet = await shop.addPet();
    const wrong = await set(pet, 9);
    const first = await undo(pet, wrong);
    const again = await undo(pet, wrong);
    expect([again.status, again.body.code]).toEqual([409, 'already_reversed']);
    expect(again.body.details).toEqual({ reversedBy: first.body.id });
    expect((await undo(pet, first.body.id)).body.quantityAfter).toBe(9);
    expect((await undo(pet, wrong)).body.code).toBe('already_reversed');
    expect(await quantityOf(pet)).toBe(9);
  });

  it('takes a row back once when a hundred ask at the same time', async () => {
    const pet = await shop.addPet();
    const wrong = await set(pet, 50);
    const answers = await Promise.all(Array.from({ length: 100 }, () => undo(pet, wrong)));
    const outcomes = answers.map(({ status, body }) => (status === 201 ? 'done' : body.code));
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
    // On a slow machine some wait for the row for too long.
    const others = new Set(outcomes.filter((outcome) => outcome !== 'done'));
    expect([...others].filter((code) => code !== 'unavailable')).toEqual(['already_reversed']);
    expect(await quantityOf(pet)).toBe(1);
  });

  it('refuses rows of orders and of the creation, and changes nothing', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const order = await shop.order(pet, 2);
    await shop.do('PATCH', `/store/orders/${order}`, { quantity: 1 });
    await shop.do('PATCH', `/store/orders/${order}`, { complete: true });
    const before = await shop.stateOf(pet);
    const rows = before.ledger.filter(({ cause }) => cause !== 'set');
    expect(rows.map(({ cause }) => cause)).toEqual([
      'created',
      'reserved',
      'released',
      'fulfilled',
    ]);
    for (const { id, cause } of rows) {
      const { status, body } = await undo(pet, id);
      expect([status, body.code, body.details]).toEqual([409, 'not_reversible', { cause }]);
      expect(body.message).toContain(cause === 'reserved' ? 'Cancel order' : 'Adjust the stock');
    }
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('refuses to go below what open orders have reserved, and changes nothing', async () => {
    const pet = await shop.addPet();
    const wrong = await set(pet, 9);
    await shop.order(pet, 4);
    const before = await shop.stateOf(pet);
    const { status, body } = await undo(pet, wrong);
    expect([status, body.code]).toEqual([409, 'below_reserved']);
    expect(body.details).toMatchObject({ reserved: 4 });
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('refuses to exceed the largest stock', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const less = await set(pet, 2);
    await set(pet, 1_000_000_000);
    const { status, body } = await undo(pet, less);
    expect([status, body.details[0].field]).toEqual([400, 'movementId']);
  });

  it('finds no row of another pet, of another workspace or of a deleted pet', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const row = (await lastOf(pet)).id;
    const neighbour = await shop.addPet();
    expect((await undo(neighbour, row)).status).toBe(404);
    const key = await shop.app.addWorkspace();
    expect((await shop.call('POST', pathOf(pet, row), { key })).status).toBe(404);
    for (const id of absentIds) {
      expect((await shop.call('POST', pathOf(pet, id))).status).toBe(404);
    }
    for (const id of malformedIds) {
      expect((await shop.call('POST', pathOf(pet, id))).status).toBe(400);
    }
    await shop.deletePet(pet);
    expect((await undo(pet, row)).status).toBe(404);
  });

  it('emits inventory.adjusted with the row, and inventory.low where it crosses the threshold', async () => {
    await shop.do('PATCH', '/workspace', { lowStockAt: 3 });
    const pet = await shop.addPet({ quantity: 2 });
    const wrong = await set(pet, 20);
    const { sequence } = (await shop.do('GET', '/events?limit=100&type=pet.*')).at(-1);
    const { body } = await undo(pet, wrong);
    await shop.do('PATCH', '/workspace', { lowStockAt: null });
    const events: { type: string; data: { inventory?: { petId: number }; movement?: object } }[] =
      await shop.do('GET', `/events?after=${sequence}&limit=100`);
    const ofPet = events.filter(({ data }) => data.inventory?.petId === pet).slice(-2);
    expect(ofPet.map(({ type }) => type)).toEqual(['inventory.adjusted', 'inventory.low']);
    expect(ofPet[0]!.data.movement).toEqual(body);
  });
});
