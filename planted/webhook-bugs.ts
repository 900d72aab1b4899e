import type { Bug } from './bug.ts';

/** Bugs of deliveries while their webhook changes, or the node stops. */
export const webhookBugs: readonly Bug[] = [
  {
    name: 'a node looks at every webhook for those that are due',
    file: 'server/src/datastore/webhooks/deliveries.ts',
    find: "'failures > 0' : 'failures = 0'",
    replace: "'failures > 0' : 'failures < 1'",
    tests: ['survival/idle-cost.test.ts'],
  },
  {
    name: 'the audit log does not say that deliveries switched a webhook off',
    file: 'server/src/webhooks/held-lease.ts',
    find: "        if (event === 'webhook.disabled') await this.#auditEnd(tx, before);\n",
    replace: '',
    tests: ['webhooks/worker.test.ts'],
  },
  {
    name: 'an event that is numbered wakes no webhook',
    file: 'server/src/datastore/webhooks/due.ts',
    find: 'AND due_at IS NULL AND',
    replace: 'AND due_at > 0 AND',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'a webhook is left without work while an event is being numbered',
    file: 'server/src/datastore/webhooks/deliveries.ts',
    find: '      await this.runner.row(lockHead, [lease.webhook.workspaceId]);\n',
    replace: '',
    tests: ['datastore/postgres.test.ts'],
  },
  {
    name: 'an event is redelivered to an address that was never verified',
    file: 'server/src/webhooks/gateway.ts',
    find: '!webhook.isVerified || ',
    replace: '',
    tests: ['operations/webhooks/redelivery.test.ts'],
  },
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
    find: 'isOurs || (await tx.deliveries.saveCursor(this.#lease, progress, this.#clock.now()))',
    replace: 'isOurs',
    tests: ['webhooks/owner-changes.test.ts'],
  },
  {
    name: 'a worker moves the cursor over a replay',
    file: 'server/src/datastore/webhooks/deliveries.ts',
    find: 'cursor_revision <= ',
    replace: '0 < ',
    tests: ['webhooks/owner-changes.test.ts'],
  },
  {
    name: 'a receiver that hangs takes a place from the writes of others',
    file: 'server/src/http/route.ts',
    find: "await workload.pause('write', act)",
    replace: 'await act()',
    tests: ['overload/hanging-receivers.test.ts'],
  },
  {
    name: 'a webhook has any number of redeliveries under way',
    file: 'server/src/webhooks/gateway.ts',
    find: 'if (redelivering > REDELIVERIES_MAX)',
    replace: 'if (redelivering < 0)',
    tests: ['overload/hanging-receivers.test.ts'],
  },
  {
    name: 'a stop leaves a ping without a response',
    file: 'server/src/app.ts',
    find: '    webhooks?.gateway.stop();\n',
    replace: '',
    tests: ['process/webhooks.test.ts'],
  },
];
