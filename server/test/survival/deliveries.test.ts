import { describe, expect, it, onTestFinished } from 'vitest';
import { breakDeliveries } from '../../../torture/deliveries.ts';
import { onCluster } from '../../../torture/engines.ts';
import { newStore } from '../../../torture/store.ts';

const environment = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8', PETSTORE_WEBHOOK_VERIFY: 'none' };
const load = { webhooks: 4, writers: 2 };

describe('kill -9 while events are delivered loses none, in order, and repeats only around a kill', () => {
  it('on SQLite', async () => {
    const store = await newStore(environment);
    onTestFinished(store.remove);
    const report = await breakDeliveries({ store, cycles: 2, ...load });
    expect(report.faults).toEqual([]);
    expect(report.kills).toBe(2);
    expect(report.delivered).toBeGreaterThanOrEqual(report.events * load.webhooks);
  });

  it('on PostgreSQL, where PostgreSQL and Redis are killed as well', async () => {
    const engine = await onCluster();
    onTestFinished(engine.close);
    const store = await engine.newStore(environment);
    onTestFinished(store.remove);
    const { alsoBreak } = engine;
    const report = await breakDeliveries({ store, nodes: 2, alsoBreak, cycles: 4, ...load });
    expect(report.faults).toEqual([]);
    expect(report.kills).toBe(4);
  });
});
