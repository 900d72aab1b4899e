import { describe, expect, it, onTestFinished } from 'vitest';
import { ACKNOWLEDGED_PER_CYCLE, crash } from '../../../torture/crash.ts';
import { newStore } from '../../../torture/store.ts';
import type { Pooling } from '../../src/datastore/postgres/session.ts';
import { repeats } from '../support/effort.ts';
import { createDatabase } from '../support/servers.ts';
import { poolings, settingsBehind, startPgBouncer } from '../support/topologies.ts';

const WRITERS = 16;
/** The second one is killed while it recovers. */
const CYCLES = repeats({ usual: 2, thorough: 4 });

async function behindPgBouncer(pooling: Pooling) {
  const bouncer = await startPgBouncer(await createDatabase(), pooling);
  onTestFinished(() => bouncer.stop());
  return settingsBehind(bouncer.url, pooling);
}

// `npm run torture -- --only crash` kills more often.
describe('kill -9 under sixteen writers, and again while recovering', () => {
  it.each<readonly [string, () => Promise<Record<string, string>>]>([
    ['on SQLite', async () => ({})],
    ['on PostgreSQL', async () => ({ PETSTORE_DATABASE_URL: await createDatabase() })],
    ...poolings.map(
      (pooling) =>
        [`behind PgBouncer with ${pooling} pooling`, () => behindPgBouncer(pooling)] as const,
    ),
  ])('loses, doubles and halves nothing %s', async (_, environment) => {
    const open = async () => newStore(await environment());
    const report = await crash({ newStore: open, cycles: CYCLES, writers: WRITERS });
    expect(report.faults).toEqual([]);
    expect(report.cycles).toBe(CYCLES);
    expect(report.acknowledged).toBeGreaterThanOrEqual(CYCLES * ACKNOWLEDGED_PER_CYCLE);
  });
});
