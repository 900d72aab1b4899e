import { expect, it, onTestFinished } from 'vitest';
import { load } from '../../../bench/load.ts';
import { Service } from '../../../torture/service.ts';
import { newStore } from '../../../torture/store.ts';
import { sharedRedisUrl } from '../limits/valkey-server.ts';
import { createDatabase } from '../support/servers.ts';

const TAKEN = 500;
const CROWD = 3_000;

// Fewer are taken into work than usual, so that a crowd that a test can afford is too many.
const workload = new URL('../../src/api/hooks/shed-load.ts', import.meta.url).href;
const narrow = `import { Workload } from '${workload}'; Workload.runningMax = ${TAKEN};`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(narrow)}`;

const engines: [string, () => Promise<Record<string, string>>][] = [
  ['SQLite', async () => ({})],
  [
    'PostgreSQL and Redis',
    async () => ({
      PETSTORE_DATABASE_URL: await createDatabase(),
      PETSTORE_VALKEY_URL: sharedRedisUrl(),
    }),
  ],
];

it.each(engines)(
  'on %s goes on with its work while it turns away a crowd that never pauses',
  async (_, environmentOf) => {
    const store = await newStore(await environmentOf());
    onTestFinished(store.remove);
    const service = await Service.start({ environment: { ...store.environment, NODE_OPTIONS } });
    onTestFinished(() => void service.signal('SIGKILL'));
    let sent = 0;
    const request = () => {
      sent += 1;
      const body = JSON.stringify({ name: `category ${sent}` });
      return (
        `POST /v1/categories HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${store.apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      );
    };
    const createdPerSecond = async (connections: number, requests: number) => {
      const { statuses, seconds } = await load({
        ports: [service.port],
        connections,
        requests,
        request,
      });
      expect([...statuses.keys()].filter((status) => status !== 201 && status !== 503)).toEqual([]);
      return { created: (statuses.get(201) ?? 0) / seconds, turnedAway: statuses.get(503) ?? 0 };
    };
    await createdPerSecond(100, 1_000);
    const alone = await createdPerSecond(TAKEN - 100, 5_000);
    const crowded = await createdPerSecond(CROWD, 6 * CROWD);
    expect(alone.turnedAway).toBe(0);
    expect(crowded.created).toBeGreaterThan(0.25 * alone.created);
  },
);
