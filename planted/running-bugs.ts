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
];
