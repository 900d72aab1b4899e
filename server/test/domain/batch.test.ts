import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRows } from '../../src/domain/batch.ts';
import { invalidField } from '../../src/domain/errors.ts';
import { reserve, type Stock } from '../../src/domain/stock.ts';

const stockOf = (quantity: number): Stock => ({ quantity, reserved: 0, held: false });
const row = fc.record({
  petId: fc.integer({ min: 1, max: 3 }),
  quantity: fc.integer({ min: 1, max: 4 }),
});

describe('the rows of a batch', () => {
  it('find what those before them have left, and never take more than there is', () => {
    const property = fc.property(
      fc.array(row, { maxLength: 12 }),
      fc.nat(8),
      fc.nat(8),
      (rows, one, two) => {
        const stocks = new Map([
          [1, stockOf(one)],
          [2, stockOf(two)],
        ]);
        const left = new Map([
          [1, one],
          [2, two],
        ]);
        const decisions = decideRows(rows, stocks, (pet, { quantity }) => reserve(pet, quantity));
        for (const [at, { petId, quantity }] of rows.entries()) {
          const decision = decisions[at]!;
          const available = left.get(petId);
          if (available === undefined) {
            expect(decision).toMatchObject({ refusal: { code: 'invalid_request' } });
          } else if (quantity > available) {
            const refusal = { code: 'insufficient_stock', details: { available } };
            expect(decision).toMatchObject({ refusal });
          } else {
            const taken = stocks.get(petId)!.quantity - available;
            expect(decision).toMatchObject({
              before: { reserved: taken },
              after: { reserved: taken + quantity },
            });
            left.set(petId, available - quantity);
          }
        }
        expect(stocks.get(1)).toEqual(stockOf(one));
      },
    );
    fc.assert(property);
  });

  it('stay refused if they were malformed', () => {
    const malformed = invalidField('quantity', 'must be at least 1');
    const [decision] = decideRows([malformed], new Map(), () => stockOf(1));
    expect(decision).toEqual({ refusal: malformed });
  });
});
