import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// What clients see must not depend on the database, so the tests of the API run on both.
const onBothEngines = ['http', 'operations', 'store', 'account', 'mcp'].map(
  (folder) => `server/test/${folder}/**/*.test.ts`,
);
const isThorough = process.env.THOROUGH === '1';
// These look into the SQLite file, start processes of their own, choose their engine or never touch a database.
const onSqliteOnly = [
  'server/test/account/{crash,credential-cache,floods,secrets-at-rest}.test.ts',
  'server/test/store/{event-texts,interleaving}.test.ts',
  'server/test/mcp/{protocol,clients,list,broken-messages,stopping}.test.ts',
  'server/test/http/{http-edge,malformed-bodies,cors,pages,console-files,workload}.test.ts',
  'server/test/http/{idempotency-running,internal-errors,unavailable-storage}.test.ts',
  'server/test/operations/events/{event-schemas,feed-delays}.test.ts',
];
// These are about what comes before storage, or call operations whose own tests run on both.
const onBothIfThorough = [
  'server/test/mcp/{access,tools}.test.ts',
  'server/test/account/{address-limits,bans,batches,limit-messages,limits-page,rate-headers}.test.ts',
  'server/test/http/{accept,compression,event-stream,large-requests,read-cache,request-id,send-stream}.test.ts',
  'server/test/http/{session-cookie,trusted-proxy}.test.ts',
  'server/test/operations/{docs-pages,events/docs-examples,webhooks/docs-receiver,webhooks/where-webhooks-lead}.test.ts',
];

/** They take longest: they start processes, install packages, fill large stores or look at every screen. */
const long =
  /\/(survival|process)\/|\/datastore\/(lists\/|(postgres|sqlite)\.test)|\/(partitions|starvation|grouped-transactions|node-registry|dispatcher|listen|catalogue-sync|completion|readme|pack|setup|observability|unavailable-storage|busy-exports|batch-race)\.test|\/account\/crash\.|\/browser\/(accessibility\/|layout\.)/;

/** Long files first, and the short ones of PostgreSQL last, so that no worker goes on alone at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      long.test(moduleId) ? 0 : project.name === 'postgres' ? 2 : 1;
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

// Random tests try the same cases in every run, so that a change is judged by its own faults. `SEED=random` draws
// other cases, and `SEED=7` repeats those of a run that failed.
const { SEED = '1' } = process.env;
const seed = SEED === 'random' ? String(randomInt(2 ** 31)) : SEED;
if (seed !== '1') console.log(`SEED=${seed}`);

export default defineConfig({
  test: {
    globalSetup: 'server/test/support/global-setup.ts',
    setupFiles: 'server/test/support/each-file.ts',
    // Tools that tests start as processes load faster from a cache, as the service does.
    env: { SEED: seed, NODE_COMPILE_CACHE: resolve('node_modules/.cache/tests') },
    // The test files of a worker share the modules of the service, which keep no state. Loading them anew for each file
    // took two thirds of the CPU time.
    isolate: false,
    sequence: { sequencer: LongFirst },
    // Many tests wait for processes and sockets.
    maxWorkers: availableParallelism() + 3,
    // A limit for tests that hang. No test asserts how fast anything is.
    testTimeout: isThorough ? 3_600_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: [
            'server/test/**/*.test.ts',
            'client/test/**/*.test.ts',
            'console/test/!(browser)/**/*.test.ts',
            'console/test/*.test.ts',
            'scripts/test/**/*.test.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          // The console in a browser, the slowest tests of all: `npm run test:browser`.
          name: 'browser',
          include: ['console/test/browser/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: onBothEngines,
          exclude: isThorough ? onSqliteOnly : [...onSqliteOnly, ...onBothIfThorough],
          env: { TEST_ENGINE: 'postgres' },
        },
      },
    ],
  },
});
