import { expect, it } from 'vitest';
import { breakBackends } from '../../../torture/backends.ts';

it('nodes survive restarts of PostgreSQL and Redis and lose nothing', async () => {
  const report = await breakBackends({
    nodes: 2,
    postgresRestarts: 3,
    redisKills: 4,
    writers: 8,
  });
  expect(report.faults).toEqual([]);
  expect(report).toMatchObject({ postgresRestarts: 3, redisKills: 4 });
  expect(report.acknowledged).toBeGreaterThanOrEqual(7 * 10);
  expect(report.unavailable).toBeGreaterThan(0);
});
