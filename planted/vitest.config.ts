import { defineConfig } from 'vitest/config';

// As the tests run otherwise, with PostgreSQL and Redis.
export default defineConfig({
  test: {
    include: ['server/test/**/*.test.ts'],
    globalSetup: 'server/test/support/global-setup.ts',
    setupFiles: 'server/test/support/seed.ts',
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
