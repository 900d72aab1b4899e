import { beforeAll, describe, expect, it } from 'vitest';
import { absentIds, malformedIds, Shop } from '../../store/shop.ts';

describe('getOrder', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });

  it('shows exactly the fields of an order, and no ship date where there is none', async () => {
    const pet = await shop.addPet({ quantity: 5 });
    const plain = await shop.order(pet, 2);
    expect(await shop.do('GET', `/store/orders/${plain}`)).toEqual({
      id: plain,
      petId: pet,
      quantity: 2,
      complete: false,
      state: 'open',
      createdAt: expect.stringMatching(/^20/),
    });
    const shipDate = '2026-12-24T10:00:00Z';
    const dated = await shop.order(pet, 1, { shipDate });
    expect((await shop.do('GET', `/store/orders/${dated}`)).shipDate).toBe(shipDate);
  });

  it('shows when the order was placed, also after it changed', async () => {
    const pet = await shop.addPet({ quantity: 5 });
    const placed = await shop.do('POST', '/store/orders', { petId: pet, quantity: 2 }, 201);
    shop.app.clock.advance(60_000);
    const body = { quantity: 1, complete: true };
    const changed = await shop.do('PATCH', `/store/orders/${placed.id}`, body);
    const read = await shop.do('GET', `/store/orders/${placed.id}`);
    const reserved = (await shop.ledgerOf(pet)).find(({ cause }) => cause === 'reserved')!;
    expect([changed.createdAt, read.createdAt, placed.createdAt]).toEqual(
      Array(3).fill(reserved.at),
    );
  });

  it('returns 304 until the order changes', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet);
    const etag = (await shop.call('GET', `/store/orders/${order}`)).headers.get('etag')!;
    const headers = { 'if-none-match': `"other", W/${etag}` };
    const unchanged = await shop.call('GET', `/store/orders/${order}`, { headers });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    await shop.do('PATCH', `/store/orders/${order}`, { complete: true });
    expect((await shop.call('GET', `/store/orders/${order}`, { headers })).status).toBe(200);
  });

  it('still shows the order of a deleted pet', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet, 1, { complete: true });
    const before = await shop.call('GET', `/store/orders/${order}`);
    await shop.deletePet(pet);
    const after = await shop.call('GET', `/store/orders/${order}`);
    expect([after.status, after.text]).toEqual([200, before.text]);
  });

  it('finds no foreign order, and finds its own when it was cancelled', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet);
    const key = await shop.app.addWorkspace();
    expect((await shop.call('GET', `/store/orders/${order}`, { key })).status).toBe(404);
    await shop.do('DELETE', `/store/orders/${order}`, undefined, 204);
    const cancelled = await shop.call('GET', `/store/orders/${order}`);
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled']);
    expect((await shop.call('GET', `/store/orders/${order}`, { key })).status).toBe(404);
  });

  it('shows an order in every state, with its end and no expiry once it has one', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const expiresAt = new Date(shop.app.clock.now() + 3_600_000).toISOString();
    const [open, completed, cancelled] = await Promise.all(
      [1, 2, 3].map(() => shop.order(pet, 1, { expiresAt })),
    );
    const born = await shop.do('POST', '/store/orders', { petId: pet, complete: true }, 201);
    expect(born).toMatchObject({ state: 'complete', endedAt: born.createdAt });
    shop.app.clock.advance(60_000);
    await shop.do('PATCH', `/store/orders/${completed}`, { complete: true });
    await shop.do('DELETE', `/store/orders/${cancelled}?reason=Too%20late`, undefined, 204);
    // Both have ended when their rows of the ledger were written.
    const [fulfilled, released] = (await shop.ledgerOf(pet)).slice(-2);
    const read = (order: number | undefined) => shop.do('GET', `/store/orders/${order}`);
    expect(await read(open)).toMatchObject({ state: 'open', complete: false });
    expect(await read(open)).not.toHaveProperty('endedAt');
    expect(await read(completed)).toMatchObject({
      state: 'complete',
      complete: true,
      endedAt: fulfilled!.at,
    });
    expect(await read(completed)).not.toHaveProperty('endReason');
    const end = { state: 'cancelled', complete: false, endReason: 'Too late' };
    expect(await read(cancelled)).toMatchObject({ ...end, endedAt: released!.at });
    for (const ended of [completed, cancelled]) {
      expect(await read(ended)).not.toHaveProperty('expiresAt');
    }
  });

  it.each(malformedIds)('refuses %s as an id', async (id) => {
    const answer = await shop.call('GET', `/store/orders/${id}`);
    expect([answer.status, answer.body.details[0].field]).toEqual([400, 'orderId']);
  });

  it.each(absentIds)('finds nothing under %s, not a rounded neighbour', async (id) => {
    expect((await shop.call('GET', `/store/orders/${id}`)).status).toBe(404);
  });
});
