import { expect, it } from 'vitest';
import { breakBackends } from '../../../torture/backends.ts';
import { repeats } from '../support/effort.ts';

/** PostgreSQL stops in another way each time. */
const postgresRestarts = 3;
const redisKills = repeats({ usual: 1, thorough: 4 });

it('nodes survive restarts of PostgreSQL and Redis and lose nothing', async () => {
  const report = await breakBackends({
    nodes: 2,
    postgresRestarts,
    redisKills,
    writers: 8,
  });
  expect(report.faults).toEqual([]);
  expect(report).toMatchObject({ postgresRestarts, redisKills });
  expect(report.acknowledged).toBeGreaterThanOrEqual((postgresRestarts + redisKills) * 10);
  expect(report.unavailable).toBeGreaterThan(0);
});
