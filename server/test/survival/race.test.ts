import { expect, it } from 'vitest';
import { race } from '../../../torture/race.ts';
import { repeats } from '../support/effort.ts';
import { poolings } from '../support/topologies.ts';

const ROUNDS = repeats({ usual: 8, thorough: 20 });
const CROWD = repeats({ usual: 60, thorough: 200 });

// `npm run torture -- --only race` plays more rounds with a larger crowd.
it.each([
  { name: 'on PostgreSQL', options: {} },
  ...poolings.map((pooling) => ({
    name: `behind PgBouncer with ${pooling} pooling`,
    options: { pooling },
  })),
])('two nodes sell every last unit once $name', async ({ options }) => {
  const report = await race({ nodes: 2, rounds: ROUNDS, crowd: CROWD, ...options });
  expect(report.faults).toEqual([]);
  expect(report.rounds).toBe(ROUNDS);
});
