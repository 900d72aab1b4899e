import { invalidField, Refusal } from './errors.ts';
import type { Stock, StockedPet } from './stock.ts';

/** What becomes of one row of a batch: a change of the stock of its pet, or a refusal. */
export type RowDecision =
  | { before: Stock; after: Stock }
  /** `stock` is what the row found, if its pet exists. */
  | { refusal: Refusal; stock?: Stock };

/**
 * Decides the rows of a batch in their order. Each row finds the stock that the rows before it have left, and a
 * refused row leaves it as it is. A row that was refused before, because it is malformed, stays refused.
 */
export function decideRows<R extends { petId: number }>(
  rows: readonly (R | Refusal)[],
  stocks: ReadonlyMap<number, Stock>,
  rule: (pet: StockedPet, row: R) => Stock,
): RowDecision[] {
  const left = new Map(stocks);
  return rows.map((row) => {
    if (row instanceof Refusal) return { refusal: row };
    const { petId } = row;
    const before = left.get(petId);
    if (!before) return { refusal: invalidField('petId', 'names no pet of this workspace') };
    try {
      const after = rule({ id: petId, stock: before }, row);
      left.set(petId, after);
      return { before, after };
    } catch (err) {
      if (!(err instanceof Refusal)) throw err;
      return { refusal: err, stock: before };
    }
  });
}
