import { setImmediate as tick } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { MemoryLimiter } from '../../../src/limits/memory/memory-limiter.ts';
import { rules, VirtualClock } from '../history.ts';
import { type LimitConnection, LimitDatabase } from '../limit-database.ts';

const WORKSPACES = 3_000;
const limits = { perMinute: 60, perDay: 1_000 };
let db: LimitDatabase;
let connection: LimitConnection;
let limiter: MemoryLimiter;
/** Writes under way, the most at a time, and all. */
let writes: { now: number; max: number; all: number };

/** Admits a request of each workspace, and watches the writes from then on. */
beforeEach(async () => {
  db = new LimitDatabase();
  connection = db.connect();
  const options = { clock: new VirtualClock(), policy: rules, onStoreFailure: () => {} };
  limiter = new MemoryLimiter({ ...options, store: connection });
  for (let workspaceId = 1; workspaceId <= WORKSPACES; workspaceId++) {
    await limiter.admit({ keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits }, 1);
  }
  const save = connection.saveCounters.bind(connection);
  writes = { now: 0, max: 0, all: 0 };
  connection.saveCounters = async (...counters) => {
    writes.now += 1;
    writes.all += 1;
    writes.max = Math.max(writes.max, writes.now);
    await tick();
    writes.now -= 1;
    await save(...counters);
  };
});

test('writes what every workspace has used, a part of them at a time', async () => {
  await limiter.close();
  const used = [...db.counters.values()].map(({ minuteUsed }) => minuteUsed);
  expect(used).toEqual(Array(WORKSPACES).fill(1));
  expect(writes.max).toBeLessThan(1_000);
});

test('gives up when the database is away', async () => {
  connection.failure = new Error('away');
  await limiter.close();
  expect(writes.all).toBeLessThan(1_000);
});
