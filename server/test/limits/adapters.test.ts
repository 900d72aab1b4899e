import { MemoryLimiter } from '../../src/limits/memory/memory-limiter.ts';
import { rules, VirtualClock } from './history.ts';
import { LimitDatabase } from './limit-database.ts';
import { limiterSuite } from './suite.ts';
import { openNode, sharedRedisUrl, workspaceIds } from './valkey/valkey-server.ts';

limiterSuite('the limiter in memory', workspaceIds(), async () => {
  const failures: unknown[] = [];
  const clock = new VirtualClock();
  const db = new LimitDatabase();
  const onStoreFailure = (err: unknown) => failures.push(err);
  const store = db.connect();
  return {
    limiter: new MemoryLimiter({ store, clock, policy: rules, onStoreFailure }),
    clock,
    db,
    failures,
  };
});

limiterSuite('the limiter in Valkey', workspaceIds(), async () => {
  const clock = new VirtualClock();
  const db = new LimitDatabase();
  const store = db.connect();
  const url = sharedRedisUrl();
  return { ...(await openNode({ url, store, clock, storeClock: clock })), clock, db };
});
