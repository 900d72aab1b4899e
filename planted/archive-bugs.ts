import type { Bug } from './bug.ts';

/** Bugs of the export and the import of a workspace. */
export const archiveBugs: readonly Bug[] = [
  {
    name: 'an export reads what is committed meanwhile',
    file: 'server/src/services/archive/workspace-exports.ts',
    find: 'yield* archiveOf(snapshot.read, {',
    replace: 'yield* archiveOf(store.read, {',
    tests: ['operations/workspace/busy-exports.test.ts'],
  },
  {
    name: 'a node makes any number of exports at once',
    file: 'server/src/services/archive/workspace-exports.ts',
    find: 'if (this.#running >= EXPORTS_MAX) {',
    replace: 'if (this.#running < 0) {',
    tests: ['operations/workspace/busy-exports.test.ts'],
  },
  {
    name: 'the digests of an archive are not compared',
    file: 'server/src/services/archive/read-archive.ts',
    find: "if (content.toString('latin1') !== sums.join('')) {",
    replace: 'if (content.length < 0) {',
    tests: ['operations/workspace/broken-archives.test.ts'],
  },
  {
    name: 'imported keys stay valid',
    file: 'server/src/services/archive/nouns.ts',
    find: 'revoked_at: values.revoked_at ?? now,',
    replace: 'revoked_at: values.revoked_at ?? null,',
    tests: ['operations/workspace/import-workspace.test.ts'],
  },
  {
    name: 'an interrupted import is kept for ever',
    file: 'server/src/datastore/tenants/imports.ts',
    find: 'const IMPORT_MS = 10 * MINUTE_MS;',
    replace: 'const IMPORT_MS = 100_000 * MINUTE_MS;',
    tests: ['operations/workspace/import-workspace.test.ts'],
  },
];
