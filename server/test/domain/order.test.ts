import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  endOrder,
  type OrderPatch,
  type OrderRecord,
  orderStates,
  patchOrder,
  placedOrder,
  refuseEnded,
} from '../../src/domain/order.ts';

const anyOrder: fc.Arbitrary<OrderRecord> = fc
  .record({
    id: fc.integer({ min: 1 }),
    petId: fc.integer({ min: 1 }),
    quantity: fc.integer({ min: 1, max: 1_000_000 }),
    shipDate: fc.option(fc.integer(), { nil: undefined }),
    createdAt: fc.integer(),
  })
  .map(({ shipDate, ...order }) => {
    return { ...order, state: 'open', ...(shipDate === undefined ? {} : { shipDate }) } as const;
  });

const anyPatch = fc.record(
  {
    quantity: fc.integer({ min: 1, max: 1_000_000 }),
    shipDate: fc.option(fc.integer(), { nil: null }),
    expiresAt: fc.option(fc.integer(), { nil: null }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<OrderPatch>;

const newOrder = { petId: 1, quantity: 1, complete: false };

describe('an order', () => {
  it('is open or complete when it is placed, and a complete one has ended with that', () => {
    const open = { id: 1, petId: 1, quantity: 1, state: 'open', createdAt: 7 };
    expect(placedOrder(1, newOrder, 7)).toStrictEqual(open);
    const ended = { ...open, state: 'complete', endedAt: 7 };
    expect(placedOrder(1, { ...newOrder, complete: true }, 7)).toStrictEqual(ended);
  });

  it('has an end, perhaps a reason, and no expiry once it has ended', () => {
    const order = placedOrder(1, { ...newOrder, expiresAt: 9 }, 7);
    const { expiresAt: _, ...rest } = order;
    const cancelled = { ...rest, state: 'cancelled', endedAt: 8 };
    expect(endOrder(order, { state: 'cancelled', at: 8 })).toStrictEqual(cancelled);
    expect(endOrder(order, { state: 'cancelled', at: 8, reason: 'Ill' })).toStrictEqual({
      ...cancelled,
      endReason: 'Ill',
    });
  });

  it('can be changed while it is open and in no other state', () => {
    const order = placedOrder(1, newOrder, 7);
    for (const state of orderStates) {
      const change = () => refuseEnded({ ...order, state });
      if (state === 'open') expect(change).not.toThrow();
      else {
        const refused =
          state === 'complete'
            ? { code: 'order_complete' }
            : { code: 'order_ended', details: { state } };
        expect(change).toThrow(expect.objectContaining({ ...refused, status: 409 }));
      }
    }
  });
});

describe('patchOrder', () => {
  it('changes the given fields and no others', () => {
    const property = fc.property(anyOrder, anyPatch, (order, patch) => {
      const expected = { ...order, ...patch } as OrderRecord;
      if (patch.shipDate === null) delete expected.shipDate;
      if (patch.expiresAt === null) delete expected.expiresAt;
      expect(patchOrder(Object.freeze(order), patch)).toStrictEqual(expected);
    });
    fc.assert(property);
  });

  it('keeps a ship date of 0 milliseconds, which is not an absent one', () => {
    const order = { ...placedOrder(1, newOrder, 7), shipDate: 5 };
    expect(patchOrder(order, { shipDate: 0 }).shipDate).toBe(0);
    expect(patchOrder({ ...order, shipDate: 0 }, { quantity: 2 }).shipDate).toBe(0);
    expect(patchOrder(order, { shipDate: null })).not.toHaveProperty('shipDate');
  });
});
