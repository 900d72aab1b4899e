import { defineConfig } from 'vitest/config';

// The tests that catch planted bugs need no PostgreSQL or Redis, so none is started.
export default defineConfig({
  test: {
    include: ['server/test/**/*.test.ts'],
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
