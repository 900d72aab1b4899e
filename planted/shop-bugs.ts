// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of the code.
import type { Bug } from './bug.ts';

/** Words, references, metadata and thresholds, and the screens on which staff count, sell and begin. */
export const shopBugs: readonly Bug[] = [
  {
    name: 'a pet that is renamed is not found by its new words',
    file: 'server/src/datastore/pets.ts',
    find: '      await petWords.add(this.runner, workspaceId, ids);\n      return true;',
    replace: '      return true;',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'a search finds names with one of its words',
    file: 'server/src/datastore/list.ts',
    find: '  return [...filters, ...among.flatMap(({ where }) => where)];',
    replace: '  return [...filters, ...among.slice(0, 1).flatMap(({ where }) => where)];',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'accents count in a search',
    file: 'server/src/domain/words.ts',
    find: ".replace(/\\p{M}/gu, '')",
    replace: '',
    tests: ['domain/words.test.ts'],
  },
  {
    name: 'a patch of metadata removes the other pairs',
    file: 'server/src/domain/metadata.ts',
    find: 'new Map(Object.entries(before ?? {}))',
    replace: 'new Map<string, string>()',
    tests: ['domain/metadata.test.ts'],
  },
  {
    name: 'the threshold of the workspace goes before that of the pet',
    file: 'server/src/domain/stock.ts',
    find: 'after.lowStockAt ?? ofWorkspace',
    replace: 'ofWorkspace ?? after.lowStockAt',
    tests: ['operations/inventory/pet-threshold.test.ts'],
  },
  {
    name: 'a patch does not look who has the reference',
    file: 'server/src/services/pets.ts',
    find: '    if (owner) throw referenceTaken(owner);\n  }\n  await writeChanges',
    replace: '  }\n  await writeChanges',
    tests: ['operations/pets/put-pet-by-reference.test.ts'],
  },
  {
    name: 'counted stock is sent without what was expected',
    file: 'console/src/screens/count/count-row.ts',
    find: 'quantity: unitsOf(counted)!, expected, reason',
    replace: 'quantity: unitsOf(counted)!, reason',
    tests: ['console/test/browser/inventory/count.test.ts'],
  },
  {
    name: 'the first steps are ticked without data',
    file: 'console/src/screens/overview/checklist.tsx',
    find: 'pet: movements.length > 0,',
    replace: 'pet: movements.length >= 0,',
    tests: ['console/test/browser/checklist.test.ts'],
  },
  {
    name: 'a new order loses its last line',
    file: 'console/src/screens/orders/new/new-order-draft.ts',
    find: 'return lines.map(({ petId, units }) => ({',
    replace: 'return lines.slice(0, Math.max(1, lines.length - 1)).map(({ petId, units }) => ({',
    tests: ['console/test/browser/orders/several-pets.test.ts'],
  },
  {
    name: 'a cancelled order is offered for completion',
    file: 'console/src/screens/orders/order/order-screen.tsx',
    find: "if (order.state !== 'open') {",
    replace: "if (order.state === 'complete') {",
    tests: ['console/test/browser/orders/remove-customer.test.ts'],
  },
  {
    name: 'the customer of an ended order is removed without a question',
    file: 'console/src/screens/orders/order/remove-customer.tsx',
    find: 'onClick={() => setAsked(true)}',
    replace: 'onClick={() => write.run(NONE)}',
    tests: ['console/test/browser/orders/remove-customer.test.ts'],
  },
  {
    name: 'sample data that failed is sent again from its beginning',
    file: 'console/src/screens/overview/sample/sample-run.ts',
    find: 'steps.slice(run.done)',
    replace: 'steps',
    tests: ['console/test/browser/sample-data.test.ts'],
  },
  {
    name: 'sample data goes on with another key',
    file: 'console/src/screens/overview/sample/sample-run.ts',
    find: 'keepRun(isStored(err) ? { ...run, id: newKey() } : run);',
    replace: 'keepRun({ ...run, id: newKey() });',
    tests: ['console/test/browser/sample-data.test.ts'],
  },
  {
    name: 'the filter Low ignores the thresholds of pets',
    file: 'server/src/datastore/pets.ts',
    find: 'COALESCE(low_stock_at, CAST(${low.lowStockAt} AS BIGINT))',
    replace: 'CAST(${low.lowStockAt} AS BIGINT)',
    tests: ['operations/inventory/pet-threshold.test.ts'],
  },
];
