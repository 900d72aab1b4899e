import type { Bug } from './bug.ts';

/** Bugs of the SQLite driver. */
export const sqliteBugs: readonly Bug[] = [
  {
    name: 'a refused unit of work is not rolled back to its savepoint',
    file: 'server/src/datastore/sqlite/savepoints.ts',
    find: 'run(this.#rollBack);',
    replace: '',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'a unit of work that fails after a change, without a savepoint, is committed',
    file: 'server/src/datastore/sqlite/optimistic-attempts.ts',
    find: 'if (this.#runner.changes > changes) this.#mustRunAgain = true;',
    replace: '',
    tests: ['datastore/sqlite.test.ts', 'datastore/sqlite/optimistic-attempts.test.ts'],
  },
  {
    name: 'commits are not flushed to the disk',
    file: 'server/src/datastore/sqlite/file.ts',
    find: "db.pragma('synchronous = FULL')",
    replace: "db.pragma('synchronous = NORMAL')",
    tests: ['survival/durable.test.ts'],
  },
  {
    name: 'writes are answered before they are committed',
    file: 'server/src/datastore/sqlite/group-commit.ts',
    find: 'return () => resolve(value);',
    replace: 'resolve(value);\n    return () => undefined;',
    tests: ['datastore/sqlite.test.ts', 'survival/durable.test.ts', 'survival/full-disk.test.ts'],
  },
  {
    name: 'readers see a state from before the last commit',
    file: 'server/src/datastore/sqlite/write-transaction.ts',
    find: '      this.#options.beforeCommit();\n',
    replace: '',
    tests: ['datastore/sqlite/read-snapshot.test.ts'],
  },
  {
    name: 'writes go on into a database that was deleted',
    file: 'server/src/datastore/sqlite/sqlite-datastore.ts',
    find: '        identity.check();\n',
    replace: '',
    tests: ['survival/deleted-files.test.ts'],
  },
  {
    name: 'the check of readiness reads no page',
    file: 'server/src/datastore/sqlite/sqlite-datastore.ts',
    find: "'SELECT version FROM schema_migrations'",
    replace: "'SELECT 1'",
    tests: ['datastore/sqlite/ping.test.ts'],
  },
  {
    name: 'a second service starts when serving.lock was deleted',
    file: 'server/src/datastore/sqlite/serving-lock.ts',
    find: '  if (!existsSync(file)) refuseOpenDatabase(databaseFileIn(folder));\n',
    replace: '',
    tests: ['survival/deleted-files.test.ts'],
  },
  {
    name: 'the log of a small disk may fill it',
    file: 'server/src/datastore/sqlite/file.ts',
    find: '    limitLog(db, dirname(file));\n',
    replace: '',
    tests: ['survival/small-disk.test.ts'],
  },
  {
    name: 'a full disk is not retried after the log was emptied',
    file: 'server/src/datastore/sqlite/write-transaction.ts',
    find: 'if (!isDiskFull(cause) || !this.#options.makeRoom()) throw err;',
    replace: 'if (!isDiskFull(cause) || performance.now() > 0) throw err;',
    tests: ['survival/small-disk.test.ts'],
  },
  {
    name: 'read-only files are served',
    file: 'server/src/datastore/sqlite/file.ts',
    find: 'if (!isDiskFull(err)) throw unusable(file, err);',
    replace: 'void isDiskFull(err);',
    tests: ['survival/small-disk.test.ts'],
  },
];
