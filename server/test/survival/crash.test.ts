import { describe, expect, it, onTestFinished } from 'vitest';
import { ACKNOWLEDGED_PER_CYCLE, crash } from '../../../torture/crash.ts';
import { newStore } from '../../../torture/store.ts';
import { repeats } from '../support/effort.ts';
import { createDatabase } from '../support/servers.ts';
import { settingsBehind, startPgBouncer } from '../support/topologies.ts';

const WRITERS = 16;
/** The second one is killed while it recovers. */
const CYCLES = repeats({ usual: 2, thorough: 4 });

async function behindPgBouncer(pooling: 'session' | 'transaction') {
  const bouncer = await startPgBouncer(await createDatabase(), pooling);
  onTestFinished(() => bouncer.stop());
  return settingsBehind(bouncer.url, pooling);
}

// `npm run torture -- --only crash` kills more often.
describe('kill -9 under sixteen writers, and again while recovering', () => {
  it.each<[string, () => Promise<Record<string, string>>]>([
    ['on SQLite', async () => ({})],
    ['on PostgreSQL', async () => ({ PETSTORE_DATABASE_URL: await createDatabase() })],
    ['behind PgBouncer with session pooling', () => behindPgBouncer('session')],
    ['behind PgBouncer with transaction pooling', () => behindPgBouncer('transaction')],
  ])('loses, doubles and halves nothing %s', async (_, environment) => {
    const open = async () => newStore(await environment());
    const report = await crash({ newStore: open, cycles: CYCLES, writers: WRITERS });
    expect(report.faults).toEqual([]);
    expect(report.cycles).toBe(CYCLES);
    expect(report.acknowledged).toBeGreaterThanOrEqual(CYCLES * ACKNOWLEDGED_PER_CYCLE);
  });
});
