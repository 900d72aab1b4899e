import { expect, it } from 'vitest';
import { type RaceOptions, race } from '../../../torture/race.ts';

// `npm run torture -- --only race` plays more rounds with a larger crowd.
it.each<[string, Pick<RaceOptions, 'pooling'>]>([
  ['on PostgreSQL', {}],
  ['behind PgBouncer with session pooling', { pooling: 'session' }],
  ['behind PgBouncer with transaction pooling', { pooling: 'transaction' }],
])('two nodes sell every last unit once %s', async (_, options) => {
  const report = await race({ nodes: 2, rounds: 20, crowd: 200, ...options });
  expect(report.faults).toEqual([]);
  expect(report.rounds).toBe(20);
});
