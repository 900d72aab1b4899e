// Bugs in what depends on time: orders that expire, stock as of a moment, undo.

import type { Bug } from './bug.ts';

const ORDERS = 'server/src/datastore/orders/orders.ts';

export const timeBugs: readonly Bug[] = [
  {
    name: 'a node whose lease another has taken goes on with the job',
    file: 'server/src/services/cluster/leases.ts',
    find: 'if (now === undefined) throw',
    replace: 'if (now === 0) throw',
    tests: ['services/leases.test.ts'],
  },
  {
    name: 'a node with a wrong clock goes on with its jobs',
    file: 'server/src/services/cluster/leases.ts',
    find: '          this.#refuseWrongClock(now, before);\n',
    replace: '',
    tests: ['services/leases.test.ts'],
  },
  {
    name: 'the sweep ends orders by the clock of the node',
    file: ORDERS,
    find: "'expires_at <= shared_now($1)'",
    replace: "'expires_at <= CAST($1 AS BIGINT)'",
    tests: ['services/leases.test.ts', 'datastore/postgres/wrong-clocks.test.ts'],
  },
  {
    name: 'a buyer takes units from orders that are overdue by the clock of the node',
    file: ORDERS,
    find: '($2, shared_now($1)) AND',
    replace: '($2, CAST($1 AS BIGINT)) AND',
    tests: ['datastore/postgres/wrong-clocks.test.ts'],
  },
  {
    name: 'what is in memory is used however long the log of changes was not read',
    file: 'server/src/services/cluster/change-log.ts',
    find: 'performance.now() - this.#readAtMs < UNREAD_MAX_MS',
    replace: 'this.#readAtMs >= 0',
    tests: ['services/change-log.test.ts'],
  },
  {
    name: 'the log of changes counts as read up to the end of a slow read',
    file: 'server/src/services/cluster/change-log.ts',
    find: 'this.#readAtMs = startedAtMs;',
    replace: 'this.#readAtMs = performance.now();',
    tests: ['services/change-log.test.ts'],
  },
  {
    name: 'credentials are used although the log of changes cannot be read',
    file: 'server/src/app.ts',
    find: 'isLogRead: changes.isRead',
    replace: 'isLogRead: () => true',
    tests: ['services/change-log.test.ts'],
  },
  {
    name: 'who asks for a run gets the one under way, which may have begun too early',
    file: 'server/src/services/periodic-run.ts',
    find: '    this.#next ??= (',
    replace: '    if (this.#running) return this.#running;\n    this.#next ??= (',
    tests: ['services/periodic-run.test.ts'],
  },
  {
    name: 'the sweep releases due orders and does not end them',
    file: ORDERS,
    find: "UPDATE orders SET state = 'expired', expires_at = NULL, ended_at = CAST($1 AS BIGINT),\n       end_reason = 'expired'",
    // Double release: each sweep finds the order again.
    replace: 'UPDATE orders SET quantity = quantity + 0 * CAST($1 AS BIGINT)',
    tests: ['datastore/sqlite.test.ts', 'operations/orders/order-expiry.test.ts'],
  },
  {
    name: 'the sweep ends an order that was completed meanwhile',
    file: ORDERS,
    find: '    forUpdateSkippingLocked,\n',
    replace: "    '',\n",
    tests: ['datastore/postgres.test.ts'],
  },
  {
    name: 'the sweep does not notify the read cache',
    file: 'server/src/jobs.ts',
    find: '      readCache?.noteChange(workspaceId);\n',
    replace: '',
    tests: ['operations/orders/order-expiry.test.ts'],
  },
  {
    name: 'a buyer is refused in favour of an overdue order',
    file: 'server/src/services/orders.ts',
    find: '    await expireOverdue(tx, { workspaceId, wanted }, now);\n',
    replace: '',
    tests: ['operations/orders/order-expiry.test.ts'],
  },
  {
    name: 'an order ends all overdue orders of its pet',
    file: 'server/src/services/expiry.ts',
    find: 'expireDueOfPet({ ...scope, petId, limit }, now)',
    replace: 'expireDueOfPet({ ...scope, petId, limit: limit * 1_000 }, now)',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'the overdue orders of a pet are released at once, however many',
    file: 'server/src/services/expiry.ts',
    find: 'const RELEASED_MAX = 1_000;',
    replace: 'const RELEASED_MAX = 1_000_000;',
    tests: ['datastore/postgres.test.ts'],
  },
  {
    name: 'a miscounted pet keeps all orders from expiring',
    file: 'server/src/services/expiry.ts',
    find: 'if (!(err instanceof Miscounted)) throw err;',
    replace: 'throw err;',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'a completed order keeps its expiry',
    file: 'server/src/domain/order.ts',
    find: '  const { expiresAt: _, ...rest } = order;',
    replace: '  const rest = order;',
    tests: ['operations/orders/order-expiry.test.ts'],
  },
  {
    name: 'a row of the ledger can be reversed twice',
    file: 'server/src/domain/inventory.ts',
    find: 'if (reversedBy !== undefined) {',
    replace: 'if (reversedBy === 0) {',
    tests: ['operations/inventory/reverse-movement.test.ts'],
  },
  {
    name: 'an undo forgets what came later',
    file: 'server/src/domain/inventory.ts',
    find: 'return adjustQuantity(pet, delta);',
    replace: 'return adjustQuantity(pet, quantityBefore - pet.stock.quantity);',
    tests: ['operations/inventory/reverse-movement.test.ts'],
  },
  {
    name: 'stock as of a moment shows pets that were created later',
    file: 'server/src/datastore/ledger.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source text.
    find: 'sql`created_at <= ${asOf} AND ',
    replace: 'sql`',
    tests: ['operations/inventory/stock-as-of.test.ts'],
  },
  {
    name: 'the ledger of a pet goes back in time with the clock of a node',
    file: 'server/src/datastore/stock.ts',
    find: 'CASE WHEN moved_at > $13 THEN moved_at ELSE CAST($13 AS BIGINT) END',
    replace: 'CAST($13 AS BIGINT)',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'a pet forgets the time of its last row when an earlier one is written',
    file: 'server/src/datastore/stock.ts',
    find: 'moved_at = CASE WHEN moved_at > $6 THEN moved_at ELSE $6 END',
    replace: 'moved_at = $6',
    tests: ['datastore/sqlite.test.ts'],
  },
];
