import { defineConfig } from 'vitest/config';

// The tests named beside the bugs need no server beside the service, so none is started for each of them.
export default defineConfig({
  test: {
    include: ['server/test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
