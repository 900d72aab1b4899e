import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OrderPatch, type OrderRecord, patchOrder } from '../../src/domain/order.ts';

const anyOrder: fc.Arbitrary<OrderRecord> = fc
  .record({
    id: fc.integer({ min: 1 }),
    petId: fc.integer({ min: 1 }),
    quantity: fc.integer({ min: 1, max: 1_000_000 }),
    shipDate: fc.option(fc.integer(), { nil: undefined }),
    complete: fc.boolean(),
  })
  .map(({ shipDate, ...order }) => (shipDate === undefined ? order : { ...order, shipDate }));

const anyPatch = fc.record(
  {
    quantity: fc.integer({ min: 1, max: 1_000_000 }),
    shipDate: fc.option(fc.integer(), { nil: null }),
    complete: fc.boolean(),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<OrderPatch>;

describe('patchOrder', () => {
  it('changes the given fields and no others', () => {
    const property = fc.property(anyOrder, anyPatch, (order, patch) => {
      const open = Object.freeze({ ...order, complete: false });
      const { shipDate, ...rest } = patch;
      const expected = { ...open, ...rest, ...(shipDate === undefined ? {} : { shipDate }) };
      if (shipDate === null) delete (expected as Partial<OrderRecord>).shipDate;
      expect(patchOrder(open, patch)).toStrictEqual(expected);
    });
    fc.assert(property);
  });

  it('refuses any change of a complete order and accepts an empty one', () => {
    const property = fc.property(anyOrder, anyPatch, (order, patch) => {
      const complete = Object.freeze({ ...order, complete: true });
      if (Object.keys(patch).length === 0) {
        expect(patchOrder(complete, patch)).toStrictEqual(complete);
      } else {
        expect(() => patchOrder(complete, patch)).toThrow(
          expect.objectContaining({ code: 'order_complete', status: 409 }),
        );
      }
    });
    fc.assert(property);
  });

  it('keeps a ship date of 0 milliseconds, which is not an absent one', () => {
    const order = { id: 1, petId: 1, quantity: 1, shipDate: 5, complete: false };
    expect(patchOrder(order, { shipDate: 0 }).shipDate).toBe(0);
    expect(patchOrder({ ...order, shipDate: 0 }, { quantity: 2 }).shipDate).toBe(0);
    expect(patchOrder(order, { shipDate: null })).not.toHaveProperty('shipDate');
  });
});
