import { expect, it } from 'vitest';
import { race } from '../../../torture/race.ts';

// `npm run torture -- --only race` plays more rounds with a larger crowd.
it('two nodes sell every last unit once', async () => {
  const report = await race({ nodes: 2, rounds: 20, crowd: 200 });
  expect(report.faults).toEqual([]);
  expect(report.rounds).toBe(20);
});
