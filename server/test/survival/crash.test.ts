import { describe, expect, it } from 'vitest';
import { ACKNOWLEDGED_PER_CYCLE, crash } from '../../../torture/crash.ts';
import { newStore } from '../../../torture/store.ts';
import { repeats } from '../support/effort.ts';
import { createDatabase } from '../support/servers.ts';

const WRITERS = 16;
/** The second one is killed while it recovers. */
const CYCLES = repeats({ usual: 2, thorough: 4 });

// `npm run torture -- --only crash` kills more often.
describe('kill -9 under sixteen writers, and again while recovering', () => {
  it('loses, doubles and halves nothing on SQLite', async () => {
    const report = await crash({ newStore: () => newStore(), cycles: CYCLES, writers: WRITERS });
    expect(report.faults).toEqual([]);
    expect(report.cycles).toBe(CYCLES);
    expect(report.acknowledged).toBeGreaterThanOrEqual(CYCLES * ACKNOWLEDGED_PER_CYCLE);
  });

  it('loses, doubles and halves nothing on PostgreSQL', async () => {
    const onPostgres = async () => newStore({ PETSTORE_DATABASE_URL: await createDatabase() });
    const report = await crash({ newStore: onPostgres, cycles: CYCLES, writers: WRITERS });
    expect(report.faults).toEqual([]);
    expect(report.cycles).toBe(CYCLES);
    expect(report.acknowledged).toBeGreaterThanOrEqual(CYCLES * ACKNOWLEDGED_PER_CYCLE);
  });
});
