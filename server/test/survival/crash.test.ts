import { describe, expect, it } from 'vitest';
import { ACKNOWLEDGED_PER_CYCLE, crash } from '../../../torture/crash.ts';
import { newStore } from '../../../torture/store.ts';
import { createDatabase } from '../support/servers.ts';

const WRITERS = 16;

// `npm run torture -- --only crash` kills more often.
describe('kill -9 under sixteen writers, and again while recovering', () => {
  it('loses, doubles and halves nothing on SQLite', async () => {
    const report = await crash({ newStore: () => newStore(), cycles: 4, writers: WRITERS });
    expect(report.faults).toEqual([]);
    expect(report.cycles).toBe(4);
    expect(report.acknowledged).toBeGreaterThanOrEqual(4 * ACKNOWLEDGED_PER_CYCLE);
  });

  it('loses, doubles and halves nothing on PostgreSQL', async () => {
    const onPostgres = async () => newStore({ PETSTORE_DATABASE_URL: await createDatabase() });
    const report = await crash({ newStore: onPostgres, cycles: 2, writers: WRITERS });
    expect(report.faults).toEqual([]);
    expect(report.cycles).toBe(2);
    expect(report.acknowledged).toBeGreaterThanOrEqual(2 * ACKNOWLEDGED_PER_CYCLE);
  });
});
