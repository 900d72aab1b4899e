// The requests of a client that knows no states of orders, no references, customers, notes and metadata, and what it reads in
// the responses. The breaking-changes check compares the documents; this compares what the service does.

import { beforeAll, describe, expect, it } from 'vitest';
import type { OrderView as Order } from '../../src/operations/views/order.ts';
import type { PetView as Pet } from '../../src/operations/views/pet.ts';
import { Shop } from '../store/shop.ts';

describe('an older client', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });

  const ordersOf = async (query: string) =>
    (await shop.do<Order[]>('GET', `/store/orders?${query}`)).map(({ id }) => id);

  it('places, changes and completes an order, and reads it as before', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const shipDate = '2026-12-24T10:00:00Z';
    const body = { petId: pet, quantity: 2, shipDate, complete: false };
    const { id, createdAt } = await shop.do<Order>('POST', '/store/orders', body, 201);
    const known = { id, petId: pet, shipDate, createdAt };
    const changed = await shop.do('PATCH', `/store/orders/${id}`, { quantity: 3 });
    expect(changed).toMatchObject({ ...known, quantity: 3, complete: false });
    const done = await shop.do('PATCH', `/store/orders/${id}`, { complete: true });
    expect(done).toMatchObject({ ...known, quantity: 3, complete: true });
    const late = await shop.send('PATCH', `/store/orders/${id}`, { quantity: 1 });
    expect([late.status, late.body.code]).toEqual([409, 'order_complete']);
    expect(await shop.do('GET', `/inventory/${pet}`)).toMatchObject({ quantity: 6, reserved: 0 });
  });

  it('lists open and complete orders alone; complete=false are the open ones', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const [open, complete, cancelled] = [
      await shop.order(pet),
      await shop.order(pet, 1, { complete: true }),
      await shop.order(pet),
    ];
    await shop.do('DELETE', `/store/orders/${cancelled}`, undefined, 204);
    expect(await ordersOf(`petId=${pet}`)).toEqual([open, complete]);
    expect(await ordersOf(`petId=${pet}&sort=-id`)).toEqual([complete, open]);
    expect(await ordersOf(`petId=${pet}&complete=true`)).toEqual([complete]);
    expect(await ordersOf(`petId=${pet}&complete=false`)).toEqual([open]);
  });

  it('is refused a second cancellation, and only finds the order again', async () => {
    const pet = await shop.addPet({ quantity: 1 });
    const order = await shop.order(pet);
    await shop.do('DELETE', `/store/orders/${order}`, undefined, 204);
    const again = await shop.call('DELETE', `/store/orders/${order}`);
    expect(again.status).toBe(409);
    expect(await shop.do('GET', `/store/orders/${order}`)).toMatchObject({ complete: false });
    expect(await shop.do('GET', `/inventory/${pet}`)).toMatchObject({ available: 1, reserved: 0 });
  });

  it('keeps what it does not know when it changes a pet or an order', async () => {
    const more = { reference: 'A-1', lowStockAt: 3, metadata: { shelf: 'B' } };
    const body = { name: 'Rex', categoryId: 1, status: 'available' };
    const pet = await shop.do<Pet>('POST', '/pets', { ...body, ...more }, 201);
    // Clients of forms send back every field that they know.
    await shop.do('PATCH', `/pets/${pet.id}`, { ...body, name: 'Max' });
    expect(await shop.do('GET', `/pets/${pet.id}`)).toEqual({ ...pet, name: 'Max' });
    await shop.do('PATCH', `/inventory/${pet.id}`, { quantity: 5 });

    const noted = { reference: 'WEB-1', customer: 'Ada', note: 'Ring.', metadata: { till: '2' } };
    const order = await shop.order(pet.id, 1, noted);
    const change = { quantity: 2, shipDate: null, complete: false };
    expect(await shop.do('PATCH', `/store/orders/${order}`, change)).toMatchObject(noted);
    const completed = await shop.do('PATCH', `/store/orders/${order}`, { complete: true });
    expect(completed).toMatchObject(noted);
  });

  it('sends batches without the new options, and gets the fields of before', async () => {
    const pets = [{ name: 'One', categoryId: 1 }, { name: 'Two' }];
    const created = await shop.do('POST', '/pets/batch', { pets, mode: 'each' });
    expect(created).toMatchObject({ created: 1, refused: 1 });
    const petId = created.results[0].pet.id;
    const items = [{ petId, quantity: 7 }];
    const counted = await shop.do('POST', '/inventory/batch', { items });
    expect(counted).toMatchObject({ changed: 1, unchanged: 0, refused: 0 });
    const orders = [{ petId, quantity: 2 }, { petId }];
    const placed = await shop.do('POST', '/store/orders/batch', { orders });
    expect(placed.results.map(({ order }: { order: Order }) => order.quantity)).toEqual([2, 1]);
  });
});
