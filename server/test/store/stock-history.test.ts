// Compares the stock as of every moment of random histories with what a model had then. Histories follow each other in
// time on one store, as the days of a shop do. SEED repeats a run.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeats } from '../support/effort.ts';
import { seed } from '../support/seed.ts';
import { engine, opened } from './engine.ts';
import { aimedAt, history, opening } from './histories.ts';
import { Model } from './model.ts';
import type { Step, View } from './steps.ts';
import { Subject } from './subject.ts';

const HISTORIES = repeats({ usual: 60, thorough: 2_000 });
const LONG_RUN_MS = 3_600_000;
const START = 1_800_000_000_000;

interface Moment {
  at: number;
  items: View['items'];
}

/** What the ledger shows of the stock: holds are not history. */
function itemsOf(model: Model): View['items'] {
  return model.view().items.map((item) => {
    const { quantity, available } = item;
    return { ...item, status: quantity === 0 ? 'sold' : available === 0 ? 'pending' : 'available' };
  });
}

/** Performs the steps and returns what the model had at the end of each moment. */
async function live(subject: Subject, steps: readonly Step[]): Promise<Moment[]> {
  const model = new Model();
  const moments: Moment[] = [];
  for (const given of [...opening, ...steps]) {
    const step = aimedAt(model, given);
    if (step.kind === 'passTime') moments.push({ at: subject.now, items: itemsOf(model) });
    expect(await subject.perform(step), JSON.stringify(step)).toEqual(model.apply(step));
  }
  return [...moments, { at: subject.now, items: itemsOf(model) }];
}

describe(`the stock of random histories on ${engine.name}`, () => {
  const store = opened();

  it(`is what the model had at every moment (seed ${seed})`, { timeout: LONG_RUN_MS }, async () => {
    let start = START;
    const kept: { subject: Subject; moment: Moment }[] = [];
    const property = fc.asyncProperty(history, async (steps) => {
      const subject = await Subject.open(store(), { pet: 0, order: 0 }, start);
      expect(await subject.itemsAt(start - 1)).toEqual([]);
      const moments = await live(subject, steps);
      for (const { at, items } of moments) expect(await subject.itemsAt(at)).toEqual(items);
      kept.push({ subject, moment: moments[0]! });
      start = subject.now + 1;
    });
    await fc.assert(property, { numRuns: Math.ceil(HISTORIES * engine.share), seed });
    // What was shown once never changes.
    for (const { subject, moment } of kept) {
      expect(await subject.itemsAt(moment.at)).toEqual(moment.items);
    }
  });
});
