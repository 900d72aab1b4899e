// Compares random histories of pets, stock and orders with a model. Many histories run at once, each in its own
// workspace, so that their units of work share commits. HISTORIES sets their number, SEED repeats a run. A failure
// prints its seed and shrinks to the few steps that matter.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { petStatuses } from '../../src/domain/stock.ts';
import { engine, opened } from './engine.ts';
import { type LedgerRow, Model, type Pick, type Step } from './model.ts';
import { type Foreign, Subject } from './subject.ts';

const HISTORIES = Number(process.env.HISTORIES ?? 100);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const LANES = 8;
const LONG_RUN_MS = 3_600_000;

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
const change = fc.record(
  { quantity: units, shipDate: fc.option(shipDate), complete: fc.boolean() },
  { requiredKeys: [] },
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const is = fc.constant;
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
  { arbitrary: fc.record({ kind: is('setStock'), pet: pick, quantity }), weight: 3 },
  { arbitrary: fc.record({ kind: is('adjustStock'), pet: pick, delta }), weight: 3 },
  {
    arbitrary: fc.record(
      { kind: is('placeOrder'), pet: pick, quantity: units, shipDate, complete: seldom },
      { requiredKeys: ['kind', 'pet', 'quantity', 'complete'] },
    ),
    weight: 9,
  },
  { arbitrary: fc.record({ kind: is('updateOrder'), order: pick, patch: change }), weight: 6 },
  { arbitrary: fc.record({ kind: is('cancelOrder'), order: pick }), weight: 3 },
) as fc.Arbitrary<Step>;
const history = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });

function aimedAt(model: Model, { ...step }: Step): Step {
  const within = (at: Pick, count: number) =>
    typeof at !== 'number' ? at : count === 0 ? 'absent' : at % count;
  if ('pet' in step) step.pet = within(step.pet, model.pets.length);
  if ('order' in step) step.order = within(step.order, model.orders.length);
  return step;
}

/** Two pets, one with enough stock for orders to be placed from the first step on. */
const opening: Step[] = [
  { kind: 'createPet', status: undefined },
  { kind: 'setStock', pet: 0, quantity: 10 },
  { kind: 'createPet', status: undefined },
];

async function live(store: Datastore, foreign: Foreign, steps: Step[]): Promise<void> {
  const model = new Model();
  const subject = await Subject.open(store, foreign);
  for (const given of [...opening, ...steps]) {
    const step = aimedAt(model, given);
    const expected = model.apply(step);
    expect(await subject.perform(step), JSON.stringify(step)).toEqual(expected);
    expect(await subject.view()).toEqual(model.view());
  }
  await checkLedgers(subject, model);
  await checkFilters(subject, model);
}

/** The ledger is the model's, row by row, and alone gives the counts of today. */
async function checkLedgers(subject: Subject, model: Model): Promise<void> {
  const { items, orders } = await subject.view();
  for (const [at, pet] of model.pets.entries()) {
    const ledger = await subject.ledger(at);
    expect(ledger).toEqual(pet.ledger);
    if (pet.isDeleted) continue;
    const { quantity, reserved } = items.find((item) => item.pet === at)!;
    const sumOf = (changed: (row: LedgerRow) => [number, number]) =>
      ledger.map(changed).reduce((sum, [before, after]) => sum + after - before, 0);
    expect([sumOf((row) => row[1]), sumOf((row) => row[2])]).toEqual([quantity, reserved]);
    const open = orders.filter((order) => order.pet === at && !order.complete);
    expect(open.reduce((sum, order) => sum + order.quantity, 0)).toBe(reserved);
  }
}

async function checkFilters(subject: Subject, model: Model): Promise<void> {
  const { pets, items, orders } = model.view();
  for (const status of petStatuses) {
    for (const availableBelow of [0, 1, 3]) {
      const seen = await subject.view({ status, availableBelow });
      expect(seen.pets).toEqual(pets.filter((pet) => pet.status === status));
      const low = items.filter((item) => item.available < availableBelow);
      expect(seen.items).toEqual(low.filter((item) => item.status === status));
    }
  }
  for (const complete of [true, false]) {
    const seen = await subject.view({ pet: 0, complete, shipDateFrom: -1, shipDateTo: 2 });
    const dated = orders.filter(({ shipDate = -9 }) => shipDate >= -1 && shipDate <= 2);
    const expected = dated.filter((order) => order.pet === 0 && order.complete === complete);
    expect(seen.orders).toEqual(expected);
  }
}

describe(`random histories on ${engine.name}`, () => {
  const store = opened();
  const count = Math.ceil((HISTORIES * engine.share) / LANES);

  it(`agree with the model at every step (seed ${SEED})`, { timeout: LONG_RUN_MS }, async () => {
    const stranger = await Subject.open(store(), { pet: 0, order: 0 });
    const foreign = await stranger.makeForeign();
    // After a failure only its own lane continues, to shrink the history.
    let failed: number | undefined;
    const lane = (at: number) => {
      const property = fc.asyncProperty(history, async (steps) => {
        if (failed !== undefined && failed !== at) return;
        await live(store(), foreign, steps).catch((err) => {
          failed ??= at;
          throw err;
        });
      });
      return fc.assert(property, { numRuns: count, seed: SEED + at });
    };
    await Promise.all(Array.from({ length: LANES }, (_, at) => lane(at)));
    const untouched = await stranger.view();
    expect(untouched.items).toMatchObject([{ quantity: 5, reserved: 1 }]);
    expect(untouched.orders).toMatchObject([{ quantity: 1, complete: false }]);
  });
});
