// npm run bench -- --events: what deliveries and streams cost.

import { loadavg } from 'node:os';
import { readConfig } from '../../server/src/config.ts';
import { createKey } from '../../server/src/services/keys.ts';
import { createWorkspace } from '../../server/src/services/workspaces.ts';
import { openStore } from '../../server/src/stores.ts';
import { say } from '../engines.ts';
import { startService } from '../processes.ts';
import { type PreparedStore, prepareStore } from '../store.ts';
import { measureCrowd } from './crowd.ts';
import { measureDeliveries } from './deliveries.ts';
import { measureStreams, type Tenant } from './streams.ts';

const NO_LIMITS = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
const KEYS_EACH = 2;
const EVENTS = 2_000;
const goals = { cost: 300, perSecond: 300, batched: 10_000, kilobytes: 20, fanOut: 20 };

export async function measureEvents({ isQuick }: { isQuick: boolean }): Promise<string[]> {
  const store = await prepareStore(
    5_000,
    { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8', PETSTORE_WEBHOOK_VERIFY: 'none' },
    () => undefined,
  );
  const tenants = await createTenants(store, isQuick ? 3 : 10);
  const service = await startService(store.environment);
  try {
    const loads = [loadavg()[0]!];
    const rows: string[] = [];
    // A process that has delivered for a while: its code is compiled.
    await measureDeliveries(service, store, { webhooks: 1, batchMax: 1, events: 3 * EVENTS });
    for (const plan of [
      { webhooks: 1, batchMax: 1, events: EVENTS },
      { webhooks: 1, batchMax: 100, events: 2 * EVENTS },
      { webhooks: 20, batchMax: 1, events: EVENTS / 10 },
    ]) {
      const figures = await measureDeliveries(service, store, plan);
      const { requestsPerSecond, eventsPerSecond, cost, faults } = figures;
      const rates = [requestsPerSecond, eventsPerSecond, cost].map(Math.round);
      rows.push(`| ${[plan.webhooks, plan.batchMax, ...rates, faults].join(' | ')} |`);
      say(`  ${rows.at(-1)}\n`);
    }
    const crowd = await measureCrowd(service, tenants);
    const streams = await measureStreams(service, tenants);
    loads.push(loadavg()[0]!);
    return [
      '## Events, SQLite, one node',
      `Load average ${loads.map((load) => load.toFixed(1)).join(' to ')} on a machine that was shared. Rates and lags say more about the machine than the CPU times do.`,
      [
        '| webhooks | batchMax | requests/s | events/s | CPU us per request | wrong order or signature |',
        '|---|---|---|---|---|---|',
        ...rows,
      ].join('\n'),
      `Goals: at most ${goals.cost} us per delivery; one webhook at least ${goals.perSecond} requests/s, and ${goals.batched} events/s with \`batchMax\` 100.`,
      [
        '| webhooks, of which half hang and a quarter answer 500 | lag p50 ms | lag p99 ms | never delivered |',
        '|---|---|---|---|',
        `| ${crowd.webhooks} | ${crowd.lagP50Ms.toFixed(1)} | ${crowd.lagP99Ms.toFixed(1)} | ${crowd.missing} |`,
      ].join('\n'),
      'Goal: at most 2000 ms for the healthy ones.',
      [
        '| streams | KB each | share of a core, idle | CPU us per event and stream | lag p50 ms | lag p99 ms |',
        '|---|---|---|---|---|---|',
        `| ${streams.streams} | ${streams.kilobytesEach.toFixed(1)} | ${streams.idleCore.toFixed(3)} | ${streams.fanOutUs.toFixed(1)} | ${streams.lagP50Ms.toFixed(1)} | ${streams.lagP99Ms.toFixed(1)} |`,
      ].join('\n'),
      `Goals: at most ${goals.kilobytes} KB each, 0.01 of a core, ${goals.fanOut} us, 5 ms and 50 ms. A lag is counted from the answer of a write on the same node.`,
    ];
  } finally {
    await service.stop();
    store.remove();
  }
}

async function createTenants(prepared: PreparedStore, count: number): Promise<Tenant[]> {
  const { store } = await openStore(readConfig(prepared.environment));
  try {
    const tenants: Tenant[] = [];
    for (let at = 0; at < count; at++) {
      const workspace = { name: `tenant ${at}`, plan: 'enterprise', limits: NO_LIMITS } as const;
      const tenant = await store.transact(async (tx) => {
        const now = Date.now();
        const made = await createWorkspace(tx, { workspace, now });
        const keys: string[] = [];
        for (let more = 0; more < KEYS_EACH; more++) {
          const key = { name: 'streams', scopes: ['read'] as const };
          keys.push((await createKey(tx, { workspaceId: made.workspace.id, key, now })).key);
        }
        return { keys, writeKey: made.key.key };
      });
      tenants.push(tenant);
    }
    return tenants;
  } finally {
    await store.close();
  }
}
