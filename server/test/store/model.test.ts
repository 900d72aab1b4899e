// Compares random histories of pets, stock and orders with a model, each step run dry before it is made. Many histories run at once, each in its own
// workspace, so that their units of work share commits. SEED repeats a run. A failure
// prints its seed and shrinks to the few steps that matter.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { petStatuses } from '../../src/domain/stock.ts';
import { repeats } from '../support/effort.ts';
import { seed } from '../support/seed.ts';
import { engine, opened } from './engine.ts';
import { aimedAt, history, opening } from './histories.ts';
import { Model } from './model.ts';
import type { LedgerRow, OrderState, Step } from './steps.ts';
import { type Foreign, Subject } from './subject.ts';

const HISTORIES = repeats({ usual: 60, thorough: 10_000 });
const LANES = 8;
const LONG_RUN_MS = 3_600_000;

async function live(store: Datastore, foreign: Foreign, steps: Step[]): Promise<void> {
  const model = new Model();
  const subject = await Subject.open(store, foreign);
  for (const given of [...opening, ...steps]) {
    const step = aimedAt(model, given);
    const dry = await subject.dryRun(step);
    const expected = model.apply(step);
    expect(await subject.perform(step), JSON.stringify(step)).toEqual(expected);
    // A dry run decides as the step itself. Had it kept anything, the step would not agree with the model.
    expect(dry, JSON.stringify(step)).toEqual(
      'value' in expected ? { value: undefined } : expected,
    );
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
    const open = orders.filter((order) => order.pet === at && order.state === 'open');
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
    const state = complete ? 'complete' : 'open';
    const expected = dated.filter((order) => order.pet === 0 && order.state === state);
    expect(seen.orders).toEqual(expected);
  }
  for (const pet of [0, undefined]) {
    const ofPet = pet === undefined ? {} : { pet };
    for (const state of [undefined, ['open'], ['cancelled', 'expired'], ['complete', 'expired']]) {
      const seen = await subject.view({ ...ofPet, state: state as OrderState[] | undefined });
      const expected = orders.filter(
        (order) =>
          (state ?? ['open', 'complete']).includes(order.state) && order.pet === (pet ?? order.pet),
      );
      expect(seen.orders).toEqual(expected);
    }
  }
}

describe(`random histories on ${engine.name}`, () => {
  const store = opened();
  const count = Math.ceil((HISTORIES * engine.share) / LANES);

  it(`agree with the model at every step (seed ${seed})`, { timeout: LONG_RUN_MS }, async () => {
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
      return fc.assert(property, { numRuns: count, seed: seed + at });
    };
    await Promise.all(Array.from({ length: LANES }, (_, at) => lane(at)));
    const untouched = await stranger.view();
    expect(untouched.items).toMatchObject([{ quantity: 5, reserved: 1 }]);
    expect(untouched.orders).toMatchObject([{ quantity: 1, state: 'open' }]);
  });
});
