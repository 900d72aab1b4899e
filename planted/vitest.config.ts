import { defineConfig } from 'vitest/config';

// As the tests run otherwise, with PostgreSQL and Redis.
export default defineConfig({
  test: {
    include: ['server/test/**/*.test.ts', 'console/test/**/*.test.ts'],
    globalSetup: 'server/test/support/global-setup.ts',
    setupFiles: 'server/test/support/each-file.ts',
    isolate: false,
    // A bug may make a test hang. Shorter than the time for all tests of a bug, so that the test is named.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
