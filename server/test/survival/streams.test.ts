import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newStore } from '../../../torture/store.ts';
import { cutStreams } from '../../../torture/streams/cut-streams.ts';
import { repeats } from '../support/effort.ts';
import { createDatabase } from '../support/servers.ts';

const CUTS = repeats({ usual: 20, thorough: 150 });

describe('streams that are cut at random bytes, while their nodes restart, miss nothing and get nothing twice', () => {
  it('on SQLite', async () => {
    const store = await newStore();
    onTestFinished(store.remove);
    const report = await cutStreams({ store, nodes: 1, cuts: CUTS, readers: 4, restarts: 1 });
    expect(report.faults).toEqual([]);
    expect(report.cuts).toBeGreaterThanOrEqual(CUTS);
    expect(report.restarts).toBe(1);
    expect(report.events).toBeGreaterThan(CUTS / 10);
  });

  it('on PostgreSQL, on two nodes', async () => {
    const store = await newStore({
      PETSTORE_DATABASE_URL: await createDatabase(),
      PETSTORE_SECRET_KEY: randomBytes(32).toString('base64'),
    });
    onTestFinished(store.remove);
    const report = await cutStreams({ store, nodes: 2, cuts: CUTS, readers: 4, restarts: 1 });
    expect(report.faults).toEqual([]);
    expect(report.cuts).toBeGreaterThanOrEqual(CUTS);
    expect(report.restarts).toBe(1);
  });
});
