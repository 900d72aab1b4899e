import { expect, it } from 'vitest';
import { race } from '../../../torture/race.ts';

it('two nodes sell every last unit once', { timeout: 120_000 }, async () => {
  const report = await race({ nodes: 2, rounds: 40 });
  expect(report.faults).toEqual([]);
  expect(report.rounds).toBe(40);
  expect(report.sold).toBeGreaterThan(40);
});
