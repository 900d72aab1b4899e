import { beforeAll, describe, expect, it } from 'vitest';
import { absentIds, malformedIds, Shop } from '../../store/shop.ts';

describe('getInventoryItem', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });

  it('shows count, reserved, available and the derived status, and nothing else', async () => {
    const pet = await shop.addPet({ quantity: 5 });
    await shop.order(pet, 2);
    const item = await shop.do('GET', `/inventory/${pet}`);
    expect(item).toEqual({
      petId: pet,
      quantity: 5,
      reserved: 2,
      available: 3,
      status: 'available',
    });
  });

  it('returns 304 until the stock changes, then 200 with another ETag', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    const etag = (await shop.call('GET', `/inventory/${pet}`)).headers.get('etag')!;
    const headers = { 'if-none-match': etag };
    expect((await shop.call('GET', `/inventory/${pet}`, { headers })).status).toBe(304);
    await shop.order(pet);
    const moved = await shop.call('GET', `/inventory/${pet}`, { headers });
    expect(moved.status).toBe(200);
    expect(moved.headers.get('etag')).not.toBe(etag);
  });

  it('returns the same 404 for a deleted, a foreign and an absent pet', async () => {
    const deleted = await shop.addPet();
    await shop.deletePet(deleted);
    const key = await shop.app.addWorkspace();
    const foreign = await shop.addPet();
    const answers = await Promise.all([
      shop.call('GET', `/inventory/${deleted}`),
      shop.call('GET', `/inventory/${foreign}`, { key }),
      shop.call('GET', '/inventory/999999'),
    ]);
    for (const [at, { status, body }] of answers.entries()) {
      expect([status, body.code]).toEqual([404, 'not_found']);
      const message = `No pet ${[deleted, foreign, 999_999][at]} in this workspace.`;
      expect({ ...body, requestId: '' }).toEqual({ ...answers[2].body, message, requestId: '' });
    }
  });

  it.each(malformedIds)('refuses %s as an id', async (id) => {
    const answer = await shop.call('GET', `/inventory/${id}`);
    expect([answer.status, answer.body.details[0].field]).toEqual([400, 'petId']);
  });

  it.each(absentIds)('finds nothing under %s, not a rounded neighbour', async (id) => {
    expect((await shop.call('GET', `/inventory/${id}`)).status).toBe(404);
  });
});
