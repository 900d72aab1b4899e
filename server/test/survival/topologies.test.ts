import { expect, it } from 'vitest';
import { failOver, restartPooler } from '../../../torture/topologies/postgres.ts';
import { isThorough } from '../support/effort.ts';
import { poolings } from '../support/topologies.ts';

const rounds = isThorough ? 10 : 1;

it('a failover to a synchronous standby loses nothing, reads nothing old and leaves the old primary alone', async () => {
  const report = await failOver({ nodes: 2, rounds, writers: isThorough ? 30 : 8 });
  expect(report.faults).toEqual([]);
  expect(report.backMs).toHaveLength(2 * rounds);
  expect(report.acknowledged).toBeGreaterThan(10 * rounds);
});

it.each(poolings)(
  'a restart of PgBouncer with %s pooling costs 503 and nothing else',
  async (mode) => {
    const report = await restartPooler(mode, { nodes: 2, rounds, writers: 8 });
    expect(report.faults).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(10 * rounds);
  },
);
