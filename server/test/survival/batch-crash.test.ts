import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { generateApiKey } from '../../src/lib/api-key.ts';
import { repeats } from '../support/effort.ts';
import { createDatabase } from '../support/servers.ts';
import { type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LINES = 7;
const ROUNDS = repeats({ usual: 1, thorough: 3 });
const SENDERS = 8;
const ACKNOWLEDGED_MIN = 10;
const engines = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ PETSTORE_DATABASE_URL: await createDatabase() }),
};

async function call(service: Service, key: string, path: string, body?: unknown, method?: string) {
  const response = await fetch(`${service.address}/v1${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
  return { status: response.status, body: (await response.json()) as any };
}

describe('kill -9 while carts are placed', () => {
  it.each(Object.entries(engines))('keeps each cart whole or not at all on %s', async (_, make) => {
    const folder = temporaryFolder();
    const { key } = generateApiKey();
    const environment = { PETSTORE_BOOTSTRAP_KEY: key, ...(await make()) };
    const acknowledged = new Set<string>();
    let carts = 0;
    let service = await startService(folder.path, environment);
    const limits = { perMinute: 10 ** 9, perDay: 10 ** 9 };
    const plan = { plan: 'enterprise', limits };
    // On a slow machine a request may be answered 503, although it has taken effect.
    const prepare = (path: string, body: unknown, method?: string) =>
      vi.waitFor(
        async () => {
          const answer = await call(service, key, path, body, method);
          expect([200, 201, 409], JSON.stringify(answer)).toContain(answer.status);
        },
        { timeout: 60_000, interval: 100 },
      );
    await prepare('/admin/workspaces/1', plan, 'PATCH');
    await prepare('/categories', { name: 'Dogs' });
    const pets = Array.from({ length: 3 }, () => ({ name: 'Rex', categoryId: 1 }));
    await prepare('/pets/batch', { pets });
    const items = [1, 2, 3].map((petId) => ({ petId, quantity: 10 ** 6 }));
    await prepare('/inventory/batch', { items });
    for (let round = 0; round < ROUNDS; round += 1) {
      let isOver = false;
      const before = acknowledged.size;
      const sender = async () => {
        while (!isOver) {
          // The ship date tells which cart an order belongs to.
          const shipDate = new Date(Date.UTC(2030, 0, 1) + carts++ * 1_000).toISOString();
          const orders = Array.from({ length: LINES }, (_, at) => {
            return { petId: 1 + (at % 3), shipDate };
          });
          const answer = await call(service, key, '/store/orders/batch', { orders }).catch(() => {
            isOver = true;
          });
          if (answer && ![200, 503].includes(answer.status)) {
            isOver = true;
            throw new Error(JSON.stringify(answer));
          }
          if (answer?.status === 200) acknowledged.add(shipDate.replace('.000Z', 'Z'));
        }
      };
      const senders = Array.from({ length: SENDERS }, sender);
      while (acknowledged.size - before < ACKNOWLEDGED_MIN && !isOver) await pause(5);
      service.process.kill('SIGKILL');
      await service.exited;
      await Promise.all(senders);
      service = await startService(folder.path, environment);
    }
    const linesOf = new Map<string, number>();
    let reserved = 0;
    let path = '/store/orders?limit=100';
    for (let after = 0; ; ) {
      const { body } = await call(service, key, path);
      const fresh = body.filter(({ id }: { id: number }) => id > after);
      for (const { shipDate, quantity } of fresh) {
        linesOf.set(shipDate, (linesOf.get(shipDate) ?? 0) + 1);
        reserved += quantity;
      }
      if (body.length < 100) break;
      after = body.at(-1).id;
      const response = await fetch(`${service.address}/v1${path}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      await response.body?.cancel();
      path = /<\/v1([^>]*)>; rel="next"/.exec(response.headers.get('link')!)![1]!;
    }
    expect([...linesOf.values()].filter((count) => count !== LINES)).toEqual([]);
    expect([...acknowledged].filter((shipDate) => !linesOf.has(shipDate))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * ACKNOWLEDGED_MIN);
    const stock = await call(service, key, '/inventory');
    const sum = stock.body.reduce(
      (all: number, item: { reserved: number }) => all + item.reserved,
      0,
    );
    expect(sum).toBe(reserved);
    folder.remove();
  });
});
