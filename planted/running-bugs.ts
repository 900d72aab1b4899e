import type { Bug } from './bug.ts';

/** Bugs of starting and stopping, and of parts that fail. */
export const runningBugs: readonly Bug[] = [
  {
    name: 'a connection that Valkey has refused is used',
    file: 'server/src/limits/valkey/valkey-connection.ts',
    find: 'if (this.#connecting !== socket) return;',
    replace: '',
    tests: ['limits/valkey/refused-connection.test.ts'],
  },
  {
    name: 'a signal during the start is ignored',
    file: 'server/src/cli/serve.ts',
    find: "log.info('stopped before it was ready');\n",
    replace: 'if (log) return;\n',
    tests: ['process/stopped-start.test.ts'],
  },
];
