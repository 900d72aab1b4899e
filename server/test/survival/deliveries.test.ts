import { describe, expect, it, onTestFinished } from 'vitest';
import { breakDeliveries } from '../../../torture/deliveries.ts';
import { onCluster } from '../../../torture/engines.ts';
import { newStore } from '../../../torture/store.ts';
import { repeats } from '../support/effort.ts';

const environment = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8', PETSTORE_WEBHOOK_VERIFY: 'none' };
const load = { webhooks: 4, writers: 2 };
const KILLS = repeats({ usual: 1, thorough: 2 });
/** In every second one PostgreSQL and Redis are killed. */
const CLUSTER_KILLS = 2 * KILLS;

describe('kill -9 while events are delivered loses none, in order, and repeats only around a kill', () => {
  it('on SQLite', async () => {
    const store = await newStore(environment);
    onTestFinished(store.remove);
    const report = await breakDeliveries({ store, cycles: KILLS, ...load });
    expect(report.faults).toEqual([]);
    expect(report.kills).toBe(KILLS);
    expect(report.delivered).toBeGreaterThanOrEqual(report.events * load.webhooks);
  });

  it('on PostgreSQL, where PostgreSQL and Redis are killed as well', async () => {
    await using engine = await onCluster();
    const store = await engine.newStore(environment);
    onTestFinished(store.remove);
    const { alsoBreak } = engine;
    const report = await breakDeliveries({
      store,
      nodes: 2,
      alsoBreak,
      cycles: CLUSTER_KILLS,
      ...load,
    });
    expect(report.faults).toEqual([]);
    expect(report.kills).toBe(CLUSTER_KILLS);
  });
});
