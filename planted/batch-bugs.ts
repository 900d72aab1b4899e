import type { Bug } from './bug.ts';

/** Bugs of batches of orders and counts. */
export const batchBugs: readonly Bug[] = [
  {
    name: 'a batch counts each of its rows alone',
    file: 'server/src/domain/batch.ts',
    find: '      left.set(petId, after);\n',
    replace: '',
    tests: ['operations/orders/place-orders.test.ts', 'domain/batch.test.ts'],
  },
  {
    name: 'a batch that is all or nothing places what fits',
    file: 'server/src/services/batches/order-batches.ts',
    find: "  if (isAllOrNothing) refuseAnyOfStock(decisions, 'orders', rows);\n",
    replace: '',
    tests: ['operations/orders/place-orders.test.ts', 'store/model.test.ts'],
  },
  {
    name: 'a batch of orders is refused in favour of overdue orders',
    file: 'server/src/services/batches/order-batches.ts',
    find: 'await expireOverdue(tx, scope, now);',
    replace: '',
    tests: ['operations/orders/place-orders.test.ts', 'store/model.test.ts'],
  },
  {
    name: 'a batch writes the stock of a pet without looking whether it has changed',
    file: 'server/src/datastore/stock.ts',
    find: "if (touched !== held.length + changed.length) throw new Conflict('the stock has changed');",
    replace: '',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'a pet may be counted twice in a stock-take',
    file: 'server/src/services/batches/stock-batches.ts',
    find: '  refuseRepeated(rows);\n',
    replace: '',
    tests: ['operations/inventory/set-stock.test.ts', 'store/model.test.ts'],
  },
];
