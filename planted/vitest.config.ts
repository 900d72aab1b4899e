import { defineConfig } from 'vitest/config';

// The tests that catch planted bugs need no PostgreSQL or Redis, so none is started.
export default defineConfig({
  test: {
    include: ['server/test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
