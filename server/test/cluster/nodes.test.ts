import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningApp, startApp } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { Limits } from '../../src/domain/plan.ts';
import { describeApiKey } from '../../src/lib/api-key.ts';
import { createKey } from '../../src/services/keys.ts';
import { bootstrap, createWorkspace } from '../../src/services/workspaces.ts';
import { openStore } from '../../src/stores.ts';
import { repeats } from '../support/effort.ts';
import { createMigratedDatabase, startRedis, type TestServer } from '../support/servers.ts';

const NODES = 4;
/** `npm run torture -- --only race` plays thousands of rounds. */
const ROUNDS = 20;
/** On an overloaded machine Redis answers none of a larger crowd in time. */
const CROWD = repeats({ usual: 100, thorough: 500 });
/** Long enough for a slow machine. The promise of a second is checked by `npm run torture -- --only revocation`. */
const WAIT = { timeout: 60_000, interval: 100 };
/** Reading the log of requests has a cap. */
const SLOW = { timeout: 60_000, interval: 2_000 };
const NO_LIMITS = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };

describe('several nodes on PostgreSQL and Redis', () => {
  let redis: TestServer;
  let config: Config;
  let key: string;
  const nodes: RunningApp[] = [];
  /** Responses with 503. */
  let unavailable = 0;

  beforeAll(async () => {
    redis = await startRedis();
    config = readConfig({
      PETSTORE_PORT: '0',
      PETSTORE_DATABASE_URL: await createMigratedDatabase(),
      PETSTORE_VALKEY_URL: redis.url,
    });
    const { store } = await openStore(config);
    await bootstrap(store, { keyText: undefined, now: Date.now() });
    key = await workspaceKey(store, NO_LIMITS);
    await store.close();
    const parts = { timeoutFactor: 10 };
    for (let n = 0; n < NODES; n++) {
      nodes.push(await startApp(config, pino({ level: 'silent' }), parts));
    }
  });

  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await redis.stop();
  });

  it('sell the last unit once in every round, on whichever nodes the buyers are', async () => {
    const { body: category } = await call(0, 'POST', '/categories', { name: 'Dogs' });
    for (let round = 0; round < ROUNDS; round++) {
      const { body: pet } = await call(round, 'POST', '/pets', {
        name: `Pet ${round}`,
        categoryId: category.id,
      });
      const buyers = Array.from({ length: NODES * 2 }, (_, n) =>
        call(n, 'POST', '/store/orders', { petId: pet.id }),
      );
      const statuses = (await Promise.all(buyers)).map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...new Array(NODES * 2 - 1).fill(409)]);
    }
  });

  it('sell exactly 500 units to 1,000 buyers, and show every order on every node', async () => {
    const { body: category } = await call(0, 'POST', '/categories', { name: 'Cats' });
    const pets = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const { body } = await call(n, 'POST', '/pets', {
          name: `Cat ${n}`,
          categoryId: category.id,
        });
        await call(n, 'PATCH', `/inventory/${body.id}`, { quantity: 25 });
        return body.id as number;
      }),
    );
    const answers = [];
    for (let at = 0; at < 1_000; at += 100) {
      const wave = Array.from({ length: 100 }, (_, n) =>
        call(n, 'POST', '/store/orders', { petId: pets[n % pets.length] }),
      );
      answers.push(...(await Promise.all(wave)));
    }
    const sold = answers.filter(({ status }) => status === 201);
    expect(sold).toHaveLength(500);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(500);
    for (const [n, { body }] of sold.slice(0, 40).entries()) {
      const shown = await persist(n + 1, 'GET', `/store/orders/${body.id}`);
      expect(shown.status).toBe(200);
    }
    const { body: items } = await persist(1, 'GET', '/inventory?availableBelow=1&limit=100');
    const left = items.filter(({ petId }: { petId: number }) => pets.includes(petId));
    expect(left.map(({ reserved }: { reserved: number }) => reserved)).toEqual(
      new Array(20).fill(25),
    );
  });

  it('find a request that another node has served', async () => {
    const { body } = await call(0, 'POST', '/categories', { name: '' });
    const find = async (n: number) => (await call(n, 'GET', `/requests/${body.requestId}`)).status;
    expect(await find(0)).toBe(200);
    // Its promise is 5 s; a slow machine may take longer.
    for (let n = 1; n < NODES; n++) await vi.waitUntil(async () => (await find(n)) === 200, SLOW);
  });

  it.each([10, CROWD])('admit exactly the limit of %i between them', async (perMinute) => {
    const statuses = await undisturbed(async () => {
      const limited = await newKey({ perMinute, perDay: 1_000_000 });
      const wave = Array.from({ length: perMinute * 2 }, (_, n) =>
        call(n, 'GET', '/workspace', undefined, limited),
      );
      return (await Promise.all(wave)).map(({ status }) => status);
    });
    expect(statuses.filter((status) => status === 200)).toHaveLength(perMinute);
    expect(statuses.filter((status) => status === 429)).toHaveLength(perMinute);
  });

  it('admit a banned key at once on every node when an operator lifts its ban on one', async () => {
    const { store } = await openStore(config);
    const operator = await store.transact(async (tx) => {
      const created = await createKey(tx, {
        workspaceId: 1,
        key: { name: 'op', scopes: ['operate', 'read'] },
        now: Date.now(),
      });
      return created.key;
    });
    await store.close();
    const seen = await undisturbed(async () => {
      const banned = await newKey({ perMinute: 5, perDay: 1_000_000 });
      const { id } = describeApiKey(banned);
      const codeOn = async (n: number) =>
        (await call(n, 'GET', '/workspace', undefined, banned)).body.code;
      for (let n = 0; n < 36; n++) await codeOn(n);
      const before = await codeOn(1);
      const { body: bans } = await call(2, 'GET', '/admin/bans', undefined, operator);
      const isListed = bans.some(({ keyId }: { keyId: string }) => keyId === id);
      const lifted = await call(3, 'DELETE', `/admin/bans/${id}`, undefined, operator);
      // The node that banned it first: the others would ask the database and lift it for all.
      const after = [];
      for (const n of [2, 0, 1, 3]) after.push(await codeOn(n));
      return { before, isListed, status: lifted.status, after };
    });
    expect(seen).toMatchObject({ before: 'key_banned', isListed: true, status: 204 });
    expect(seen.after).not.toContain('key_banned');
  });

  it('refuse a key on every node after its revocation on one of them', async () => {
    const { body: created } = await call(0, 'POST', '/keys', { name: 'x', scopes: ['read'] });
    const reads = () =>
      Promise.all(nodes.map((_, n) => persist(n, 'GET', '/workspace', created.key)));
    expect((await reads()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await persist(0, 'DELETE', `/keys/${created.id}`);
    await vi.waitFor(async () => {
      expect((await reads()).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    }, WAIT);
  });

  it('serve and limit by themselves while Redis is away, and share limits again when it is back', async () => {
    await redis.kill();
    const statuses = new Set<number>();
    for (let n = 0; n < 40; n++) statuses.add((await persist(n, 'GET', '/workspace')).status);
    expect(statuses).toEqual(new Set([200]));
    const metrics = async () => (await fetch(`${nodes[0]!.url}/metrics`)).text();
    expect(await metrics()).toContain('petstore_limiter_shared 0');
    await redis.restart();
    await vi.waitFor(async () => {
      await call(0, 'GET', '/workspace');
      expect(await metrics()).toContain('petstore_limiter_shared 1');
    }, WAIT);
  });

  async function newKey(limits: Limits): Promise<string> {
    const { store } = await openStore(config);
    return workspaceKey(store, limits).finally(() => store.close());
  }

  /**
   * On an overloaded machine a node that Redis does not answer in time decides by itself, and one that PostgreSQL does not
   * answer in time answers 503. Then the counts are not exact, and the attempt is repeated.
   */
  async function undisturbed<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      await vi.waitFor(
        async () => expect(await sumOf('petstore_limiter_shared')).toBe(NODES),
        WAIT,
      );
      const failures = await sumOf('petstore_limiter_failures_total');
      unavailable = 0;
      const result = await attempt();
      const isDisturbed = (await sumOf('petstore_limiter_failures_total')) !== failures;
      if (!isDisturbed && unavailable === 0) return result;
    }
  }

  /** A metric of all nodes. */
  async function sumOf(metric: string): Promise<number> {
    const texts = nodes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text());
    const counts = (await Promise.all(texts)).map((text) =>
      Number(new RegExp(`^${metric} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** A request without a body, again and again until the service is not too busy for it. */
  async function persist(node: number, method: 'GET' | 'DELETE', path: string, used = key) {
    for (;;) {
      const answer = await call(node, method, path, undefined, used);
      if (answer.status !== 503) return answer;
    }
  }

  /** A write that an overloaded service answers with 503 is repeated under its Idempotency-Key. */
  async function call(node: number, method: string, path: string, body?: unknown, used = key) {
    const headers = {
      authorization: `Bearer ${used}`,
      'content-type': 'application/json',
      ...(body === undefined ? {} : { 'idempotency-key': randomUUID() }),
    };
    const text = body === undefined ? null : JSON.stringify(body);
    for (;;) {
      const url = `${nodes[node % NODES]!.url}/v1${path}`;
      const response = await fetch(url, { method, headers, body: text });
      const answer = await response.text();
      if (response.status === 503) unavailable += 1;
      if (body !== undefined && response.status === 503) continue;
      // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
      const parsed = (answer === '' ? undefined : JSON.parse(answer)) as any;
      return { status: response.status, body: parsed };
    }
  }
});

async function workspaceKey(
  store: Awaited<ReturnType<typeof openStore>>['store'],
  limits: { perMinute: number; perDay: number },
): Promise<string> {
  const input = { name: 'shared', plan: 'enterprise', limits } as const;
  const created = await store.transact((tx) =>
    createWorkspace(tx, { workspace: input, now: Date.now() }),
  );
  return created.key.key;
}
