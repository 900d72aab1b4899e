// Bugs in what depends on time: orders that expire, stock as of a moment, undo.

import type { Bug } from './bug.ts';

const DUE_ORDERS = 'server/src/datastore/ledger/due-orders.ts';

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
    name: 'the sweep releases due orders and does not delete them',
    file: DUE_ORDERS,
    find: 'DELETE FROM orders WHERE id IN (SELECT id FROM due) RETURNING',
    // Double release: each sweep finds the order again.
    replace: 'UPDATE orders SET quantity = quantity WHERE id IN (SELECT id FROM due) RETURNING',
    tests: ['datastore/sqlite.test.ts', 'operations/orders/order-expiry.test.ts'],
  },
  {
    name: 'the sweep ends an order that was completed meanwhile',
    file: DUE_ORDERS,
    find: '    forUpdateSkippingLocked,',
    replace: "    '',",
    tests: ['datastore/postgres.test.ts'],
  },
  {
    name: 'the sweep does not notify the read cache',
    file: 'server/src/app.ts',
    find: '      readCache?.noteChange(workspaceId);\n',
    replace: '',
    tests: ['operations/orders/order-expiry.test.ts'],
  },
  {
    name: 'a buyer is refused in favour of an overdue order',
    file: 'server/src/services/orders.ts',
    find: '  await expireOverdue(tx, { workspaceId, petIds: [order.petId] }, now);\n',
    replace: '',
    tests: ['operations/orders/order-expiry.test.ts'],
  },
  {
    name: 'the overdue orders of a pet are released in one statement, however many',
    file: 'server/src/services/expiry.ts',
    find: 'const ROWS_MAX = 1_000;',
    replace: 'const ROWS_MAX = 1_000_000;',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'a miscounted pet keeps all orders from expiring',
    file: 'server/src/services/expiry.ts',
    find: 'if (!(err instanceof Miscounted)) throw err;',
    replace: 'throw err;',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'a buyer ends overdue orders of another workspace',
    file: DUE_ORDERS,
    find: 'AND +pet_id = $2 AND +workspace_id = $3',
    replace: 'AND +pet_id = $2 AND $3 > 0',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'a completed order keeps its expiry',
    file: 'server/src/domain/order.ts',
    find: 'const expiresAt = complete ? undefined : patched(',
    replace: 'const expiresAt = patched(',
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
    name: 'stock as of a moment trusts that ids and stamps run together',
    file: 'server/src/datastore/ledger/stock-history.ts',
    find: '<= CAST($1 AS BIGINT) +',
    replace: '<= CAST($1 AS BIGINT) + 0 *',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'stock as of a moment shows pets that were created later',
    file: 'server/src/datastore/ledger/stock-history.ts',
    find: 'AND at <= ',
    replace: 'AND 0 <= ',
    tests: ['operations/inventory/stock-as-of.test.ts'],
  },
  {
    name: 'the ledger runs back after a start with the clock set back',
    file: 'server/src/lib/clock.ts',
    find: 'return { now: () => Math.max(clock.now(), instant) };',
    replace: 'return { now: () => Math.max(clock.now(), instant - instant) };',
    tests: ['operations/inventory/stock-as-of.test.ts'],
  },
];
