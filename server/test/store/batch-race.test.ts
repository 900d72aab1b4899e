// Carts that want the same pets at once, on one node and on two.

import { describe, expect, it } from 'vitest';
import { repeats } from '../support/effort.ts';
import { gathering, type Reply } from './crowd.ts';

const PAIRS = repeats({ usual: 60, thorough: 1_000 });
const CARTS = 100;

describe('carts', () => {
  const crowd = gathering();
  const send = (orders: object[], mode = 'all'): Promise<Reply> =>
    crowd().call('POST', '/store/orders/batch', { orders, mode });

  it(`give the last unit to one of ${CARTS}, and the others reserve nothing`, async () => {
    const last = await crowd().shop.addPet({ quantity: 1 });
    const plenty = await crowd().shop.addPet({ quantity: 1_000 });
    const carts = Array.from({ length: CARTS }, (_, at) => {
      const lines = [{ petId: plenty }, { petId: last }];
      return send(at % 2 === 0 ? lines : lines.toReversed());
    });
    const replies = await Promise.all(carts);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused.every(({ body }) => body.code === 'insufficient_stock')).toBe(true);
    expect((await crowd().shop.stateOf(plenty)).item.reserved).toBe(1);
    expect((await crowd().shop.stateOf(last)).item.reserved).toBe(1);
  });

  it(`with the same pets in opposite order never block each other, ${PAIRS} times`, async () => {
    const { shop } = crowd();
    const pets = [
      await shop.addPet({ quantity: 10 ** 6 }),
      await shop.addPet({ quantity: 10 ** 6 }),
    ];
    const lines = pets.map((petId) => ({ petId }));
    for (let round = 0; round < PAIRS; round += 1) {
      const carts = [lines, lines.toReversed()].map((orders) =>
        shop.send('POST', '/store/orders/batch', { orders }),
      );
      // Single orders and counts lock the same rows.
      const beside = [
        shop.send('POST', '/store/orders', { petId: pets[round % 2] }),
        shop.send('POST', '/inventory/batch', {
          items: pets.map((petId) => ({ petId, delta: 1, reason: 'delivery' })),
        }),
      ];
      const statuses = (await Promise.all([...carts, ...beside])).map(({ status }) => status);
      expect(statuses).toEqual([200, 200, 201, 200]);
    }
    for (const pet of pets) {
      const { item } = await shop.stateOf(pet);
      expect(item).toMatchObject({
        quantity: 10 ** 6 + PAIRS,
        reserved: 2 * PAIRS + PAIRS / 2,
      });
    }
  });

  it('and single buyers sell exactly what is in stock', async () => {
    const petId = await crowd().shop.addPet({ quantity: 60 });
    const buyers = Array.from({ length: 90 }, (_, at) => {
      if (at % 3 === 0) return crowd().place(petId);
      return send([{ petId }, { petId }, { petId }], at % 3 === 1 ? 'all' : 'each');
    });
    const replies = await Promise.all(buyers);
    const sold = replies.map(({ status, body }) => (status === 201 ? 1 : (body.placed ?? 0)));
    expect(sold.reduce((sum, units) => sum + units, 0)).toBe(60);
    const { item } = await crowd().shop.stateOf(petId);
    expect(item).toMatchObject({ quantity: 60, reserved: 60 });
    const ledger = await crowd().shop.ledgerOf(petId);
    expect(
      ledger.filter(({ cause }) => cause === 'reserved').map((row) => row.reservedAfter),
    ).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
  });
});
