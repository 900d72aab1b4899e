import type { Bug } from './bug.ts';

/** Bugs of starting and stopping, and of parts that fail. */
export const runningBugs: readonly Bug[] = [
  {
    name: 'a signal during the start is ignored',
    file: 'server/src/cli/serve.ts',
    find: "log.info('stopped before it was ready');\n",
    replace: 'if (log) return;\n',
    tests: ['process/stopped-start.test.ts'],
  },
  {
    name: 'a restore takes a copy whose digest differs',
    file: 'server/src/cli/restore.ts',
    find: "if (manifest.sha256 === digestOf(copy)) return 'matches';",
    replace: "if (manifest) return 'matches';",
    tests: ['cli/backups.test.ts'],
  },
  {
    name: 'a restore brings back workspaces that were erased since',
    file: 'server/src/cli/restore.ts',
    find: 'erased: sqliteCopies.erasedBeside(copy), by,',
    replace: 'erased: [], by,',
    tests: ['cli/backups.test.ts'],
  },
  {
    name: 'a restore erases a workspace that got the id of an erased one',
    file: 'server/src/datastore/sqlite/backup.ts',
    find: 'AND created_at <= ?',
    replace: 'AND 0 < ?',
    tests: ['cli/backups.test.ts'],
  },
  {
    name: 'a restore shows the database before it is finished',
    file: 'server/src/datastore/sqlite/backup.ts',
    find: 'const closed = finishRestore(partial, restoring);',
    replace:
      'renameSync(partial, to);\n    const closed = finishRestore(to, restoring);\n    renameSync(to, partial);',
    tests: ['cli/backups.test.ts'],
  },
  {
    name: 'any client says what is sampled',
    file: 'server/src/http/request/trace.ts',
    find: "parent !== undefined && isTrusted(raw.socket.remoteAddress ?? '');",
    replace: "parent !== undefined && (isTrusted(raw.socket.remoteAddress ?? '') || true);",
    tests: ['http/traces.test.ts'],
  },
  {
    name: 'counters of failures begin with the first failure',
    file: 'server/src/telemetry/request-metrics.ts',
    find: '      for (const status of ALERTED) this.#find(operation, status);\n',
    replace: '',
    tests: ['http/metrics.test.ts'],
  },
];
