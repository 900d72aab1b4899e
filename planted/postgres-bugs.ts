import type { Bug } from './bug.ts';

/** Bugs of the PostgreSQL driver. */
export const postgresBugs: readonly Bug[] = [
  {
    name: 'a webhook is not behind events that have no number yet',
    file: 'server/src/datastore/webhooks/webhooks.ts',
    find: '\n     + (SELECT count(*) FROM event_arrivals WHERE workspace_id = $1)',
    replace: '',
    tests: ['datastore/postgres.test.ts'],
  },
  {
    name: 'a repair adds up the open orders before it locks the pet',
    file: 'server/src/services/maintenance/reconcile.ts',
    find: 'const { quantity, reserved, held } = await tx.stock.lock(workspaceId, petId);\n  const openOrders = await tx.audit.openOrders(pet);',
    replace:
      'const openOrders = await tx.audit.openOrders(pet);\n  const { quantity, reserved, held } = await tx.stock.lock(workspaceId, petId);',
    tests: ['datastore/postgres/reconcile.test.ts'],
  },
  {
    name: 'units that want the same row each hold a connection',
    file: 'server/src/datastore/postgres/write-connections.ts',
    find: 'if (row !== undefined) {',
    replace: "if (row === '') {",
    tests: ['datastore/postgres/starvation.test.ts'],
  },
  {
    name: 'a statement of a tenant does not name its workspace',
    file: 'server/src/datastore/stock.ts',
    find: 'AND workspace_id = $2 AND quantity = $7',
    replace: 'AND CAST($2 AS BIGINT) > 0 AND quantity = $7',
    tests: ['datastore/postgres/partitions.test.ts'],
  },
  {
    name: 'one workspace may hold all connections for writes',
    file: 'server/src/datastore/postgres/write-connections.ts',
    find: 'if (workspaceId !== undefined) {',
    replace: 'if (workspaceId === -1) {',
    tests: ['datastore/postgres/starvation.test.ts'],
  },
  {
    name: 'a commit with an unknown outcome is answered like one that was not made',
    file: 'server/src/datastore/postgres/commit-outcomes.ts',
    find: '(err) => reject(new OutcomeUnknown(err)),',
    replace: '(err) => reject(err),',
    tests: ['datastore/postgres/commit-outcomes.test.ts', 'http/unavailable-storage.test.ts'],
  },
  {
    name: 'an order of a pet that was just locked shares a group with others',
    file: 'server/src/datastore/postgres/row-lanes.ts',
    find: 'return coolAt !== undefined && performance.now() < coolAt;',
    replace: 'return coolAt === -1;',
    tests: ['datastore/postgres/starvation.test.ts'],
  },
  {
    name: 'a copy adds rows to another store',
    file: 'server/src/services/maintenance/copy.ts',
    find: 'if (JSON.stringify(ours) !== JSON.stringify(theirs)) {',
    replace: 'if (JSON.stringify(ours) === JSON.stringify(0)) {',
    tests: ['cli/copy.test.ts'],
  },
  {
    name: 'a copy leaves out events that are not numbered',
    file: 'server/src/services/maintenance/copy.ts',
    find: 'await refuseArrivals(from);',
    replace: '',
    tests: ['cli/copy.test.ts'],
  },
  {
    name: 'a connection is used without the timeouts of the node',
    file: 'server/src/datastore/postgres/pool.ts',
    find: 'if (!local) await applySettings(client, session);',
    replace: '',
    tests: ['datastore/postgres/topologies.test.ts'],
  },
  {
    name: 'a transaction behind a pooler runs without the timeouts of the node',
    file: 'server/src/datastore/postgres/connection.ts',
    find: 'isFirst ? commands.toSpliced(at, 0, this.#local) : commands',
    replace: 'isFirst ? commands.toSpliced(at, 0, BEGIN) : commands',
    tests: ['datastore/postgres/topologies.test.ts'],
  },
  {
    name: 'transaction pooling without its setting goes unnoticed',
    file: 'server/src/datastore/postgres/session.ts',
    find: 'if ((await pidOf()) !== before) throw',
    replace: 'if ((await pidOf()) === 0) throw',
    tests: ['datastore/postgres/topologies.test.ts'],
  },
  {
    name: 'lists of one workspace hold every read connection',
    file: 'server/src/datastore/postgres/reads.ts',
    find: 'if (workspaceId === undefined) return',
    replace: 'if (workspaceId !== 0) return',
    tests: ['datastore/postgres/starvation.test.ts'],
  },
  {
    name: 'a failure after the commit makes a write an error',
    file: 'server/src/http/writer.ts',
    find: '      this.#onFailure(err);',
    replace: '      throw err;',
    tests: ['http/after-commit.test.ts'],
  },
];
