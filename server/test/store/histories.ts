// Random histories of pets, stock and orders.

import fc from 'fast-check';
import { petStatuses } from '../../src/domain/stock.ts';
import type { Model } from './model.ts';
import type { Pick, Step } from './steps.ts';

// A number is taken modulo the number of pets or orders that exist at that step.
const pick: fc.Arbitrary<Pick> = fc.oneof(
  { arbitrary: fc.nat(20), weight: 20 },
  { arbitrary: fc.constantFrom('foreign' as const, 'absent' as const), weight: 1 },
);
const status = fc.constantFrom(...petStatuses);
const units = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 4 }), weight: 14 },
  { arbitrary: fc.constant(1_000_000), weight: 1 },
);
const quantity = fc.oneof(
  { arbitrary: fc.nat(12), weight: 14 },
  { arbitrary: fc.constantFrom(999_999_998, 1_000_000_000), weight: 1 },
);
const delta = fc.oneof(
  { arbitrary: fc.integer({ min: -4, max: 6 }).filter((by) => by !== 0), weight: 12 },
  { arbitrary: fc.constantFrom(-1_000_000_000, 1_000_000_000), weight: 1 },
);
const shipDate = fc.integer({ min: -3, max: 3 });
const expiresIn = fc.integer({ min: 1, max: 4 });
const change = fc.record(
  {
    quantity: units,
    shipDate: fc.option(shipDate),
    complete: fc.boolean(),
    expiresIn: fc.option(expiresIn),
  },
  { requiredKeys: [] },
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const is = fc.constant;
const rowsOf = <T>(row: fc.Arbitrary<T>) => fc.array(row, { minLength: 1, maxLength: 6 });
const seldom = fc.nat(4).map((nth) => nth === 4);

const step = fc.oneof(
  { arbitrary: fc.record({ kind: is('createPet'), status: optional(status) }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: is('updatePet'),
      pet: pick,
      status: fc.oneof({ arbitrary: status, weight: 8 }, is(null), is(undefined)),
      name: optional(fc.constantFrom('Max', 'Rex')),
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ kind: is('deletePet'), pet: pick }), weight: 1 },
  { arbitrary: fc.record({ kind: is('updateInventory'), pet: pick, quantity }), weight: 3 },
  { arbitrary: fc.record({ kind: is('adjustInventory'), pet: pick, delta }), weight: 3 },
  {
    arbitrary: fc.record(
      { kind: is('placeOrder'), pet: pick, quantity: units, shipDate, expiresIn, complete: seldom },
      { requiredKeys: ['kind', 'pet', 'quantity', 'complete'] },
    ),
    weight: 9,
  },
  { arbitrary: fc.record({ kind: is('updateOrder'), order: pick, patch: change }), weight: 6 },
  {
    arbitrary: fc.record({
      kind: is('cancelOrder'),
      order: pick,
      reason: optional(is('Too late')),
    }),
    weight: 3,
  },
  { arbitrary: fc.record({ kind: is('passTime'), ms: fc.integer({ min: 1, max: 3 }) }), weight: 3 },
  { arbitrary: fc.record({ kind: is('expireOrders'), pet: pick }), weight: 2 },
  { arbitrary: fc.record({ kind: is('undo'), pet: pick, row: fc.nat(20) }), weight: 4 },
  {
    arbitrary: fc.record({
      kind: is('placeOrders'),
      rows: rowsOf(
        fc.record(
          { pet: pick, quantity: units, complete: seldom, expiresIn },
          { requiredKeys: ['pet', 'quantity', 'complete'] },
        ),
      ),
      isAll: fc.boolean(),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: is('setStock'),
      rows: rowsOf(fc.oneof(fc.record({ pet: pick, quantity }), fc.record({ pet: pick, delta }))),
      isAll: fc.boolean(),
    }),
    weight: 3,
  },
) as fc.Arbitrary<Step>;
export const history = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });

export function aimedAt(model: Model, { ...step }: Step): Step {
  const within = (at: Pick, count: number) =>
    typeof at !== 'number' ? at : count === 0 ? 'absent' : at % count;
  if ('pet' in step) step.pet = within(step.pet, model.pets.length);
  if (step.kind === 'undo') {
    const rows = typeof step.pet === 'number' ? model.pets[step.pet]!.ledger.length : 1;
    step.row %= rows;
  }
  if ('rows' in step) {
    const { length } = model.pets;
    const rows = step.rows.map((row) => ({ ...row, pet: within(row.pet, length) }));
    return { ...step, rows } as Step;
  }
  if ('order' in step) step.order = within(step.order, model.orders.length);
  return step;
}

/** Two pets, one with enough stock for orders to be placed from the first step on. */
export const opening: Step[] = [
  { kind: 'createPet', status: undefined },
  { kind: 'updateInventory', pet: 0, quantity: 10 },
  { kind: 'createPet', status: undefined },
];
