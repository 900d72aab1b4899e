import type { Bug } from './bug.ts';

/** Words, references, metadata and thresholds. */
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
];
