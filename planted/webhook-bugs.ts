import type { Bug } from './bug.ts';

/** Bugs of deliveries while their webhook changes, or the node stops. */
export const webhookBugs: readonly Bug[] = [
  {
    name: 'a worker that passed over events by the former types keeps its cursor',
    file: 'server/src/services/webhooks.ts',
    find: 'after.url !== before.url || hasNewTypes;',
    replace: 'after.url !== before.url;',
    tests: ['webhooks/owner-changes.test.ts'],
  },
  {
    name: 'a request that is cut off by a stop counts as failed',
    file: 'server/src/webhooks/worker.ts',
    find: 'const isCutOff = result.failure !== undefined && agents.isClosed;',
    replace: 'const isCutOff = false;',
    tests: ['webhooks/dispatcher.test.ts'],
  },
  {
    name: 'what was delivered is forgotten when the owner changes the state',
    file: 'server/src/webhooks/held-lease.ts',
    find: 'isOurs || (await tx.deliveries.saveCursor(this.#lease, progress))',
    replace: 'isOurs',
    tests: ['webhooks/owner-changes.test.ts'],
  },
  {
    name: 'a worker moves the cursor over a replay',
    file: 'server/src/datastore/deliveries.ts',
    find: ' AND due_at > 0`',
    replace: '`',
    tests: ['webhooks/owner-changes.test.ts'],
  },
];
