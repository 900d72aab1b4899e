// Filling a store with sample data, request by request. This browser keeps how far it came, so that it goes on after a
// failure or a reload and sends nothing twice: the request that was not answered goes out again with its own key.

import type { WriteOperation } from '@petstore/client';
import { noteChange } from '../../../api/changes.ts';
import { store } from '../../../api/store.ts';
import { isStored, newKey } from '../../../api/write.ts';
import { patiently } from '../../../parts/patiently.ts';
import { keepRun, keptRun, type SampleRun } from './kept-run.ts';
import {
  SAMPLE_REASON,
  sampleCategories,
  sampleCounts,
  sampleOrders,
  samplePets,
} from './sample-store.ts';

interface Step {
  operation: WriteOperation;
  /** Resolves to what later requests need. */
  send: (run: SampleRun, idempotencyKey: string) => PromiseLike<Partial<SampleRun>>;
}

const steps: readonly Step[] = [
  ...sampleCategories.map((category): Step => {
    return {
      operation: 'createCategory',
      send: async ({ categoryIds }, idempotencyKey) => {
        const { id } = await store.categories.create(category, { idempotencyKey });
        return { categoryIds: [...categoryIds, id] };
      },
    };
  }),
  {
    operation: 'createPets',
    send: async ({ categoryIds }, idempotencyKey) => {
      const batch = { pets: samplePets(categoryIds) };
      const { results } = await store.pets.createMany(batch, { idempotencyKey });
      return { petIds: results.map(({ pet }) => pet!.id) };
    },
  },
  {
    operation: 'setStock',
    send: async ({ petIds }, idempotencyKey) => {
      await store.inventory.setMany({ items: sampleCounts(petIds) }, { idempotencyKey });
      return {};
    },
  },
  {
    operation: 'placeOrders',
    send: async ({ petIds, at }, idempotencyKey) => {
      const batch = { orders: sampleOrders(petIds, at) };
      const { results } = await store.orders.placeMany(batch, { idempotencyKey });
      return { lastOrderId: results.at(-1)!.order!.id };
    },
  },
  {
    operation: 'cancelOrder',
    send: async ({ lastOrderId }, idempotencyKey) => {
      await store.orders.cancel(lastOrderId, { idempotencyKey, query: { reason: SAMPLE_REASON } });
      return {};
    },
  },
];

export const SAMPLE_REQUESTS = steps.length;

/** Sends what is missing. It rejects with the first error, and can be called again then. */
export async function fillWithSample(onProgress: (done: number) => void): Promise<void> {
  let run = keptRun() ?? newRun();
  try {
    for (const { send } of steps.slice(run.done)) {
      // The moment before a request is sent is the last one to keep its key.
      keepRun(run);
      const found = await patiently(() => send(run, `${run.id}-${run.done}`));
      run = { ...run, ...found, done: run.done + 1 };
      onProgress(run.done);
    }
    keepRun(undefined);
  } catch (err) {
    // The service keeps a refusal under its key.
    keepRun(isStored(err) ? { ...run, id: newKey() } : run);
    throw err;
  } finally {
    for (const operation of new Set(steps.map((step) => step.operation))) noteChange(operation);
  }
}

const newRun = (): SampleRun => {
  return { id: newKey(), at: Date.now(), categoryIds: [], petIds: [], lastOrderId: 0, done: 0 };
};
