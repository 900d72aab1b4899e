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
];
