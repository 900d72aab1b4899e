// What the client promises beyond single calls: the gate over two windows, lists that change, aborts, the tree of errors.

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorTable } from '../../server/src/domain/errors.ts';
import { type TestApp, testApp } from '../../server/test/support/app.ts';
import * as client from '../src/petstore.ts';
import { scriptedFetch } from '../src/testing.ts';

const { Petstore } = client;
const MINUTE_MS = 60_000;

/** Opens a window of a minute, of which so much is left. */
async function openWindow(app: TestApp, leftMs: number): Promise<void> {
  await app.call('GET', '/v1/categories');
  app.clock.advance(MINUTE_MS - leftMs);
}

async function refusalsOf(store: client.Petstore): Promise<number> {
  const { history, bans } = await store.usage.get();
  expect(bans).toEqual([]);
  return history.reduce((sum, { refused }) => sum + refused, 0);
}

describe('the gate', () => {
  it('lets 1,000 calls wait for the next window instead of failing', async () => {
    const limits = { perMinute: 600, perDay: 100_000 };
    const app = await testApp({ engine: 'sqlite', limits });
    const options = { apiKey: app.key, baseUrl: `${app.address}/v1`, maxWaitMs: 90_000 };
    const store = new Petstore(options);
    await openWindow(app, 4_000);
    const calls = Array.from({ length: 1_000 }, () => store.categories.list().then(() => 'ok'));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['ok']));
    expect(await refusalsOf(store)).toBeLessThanOrEqual(10);
  });

  it('serves ten loops over two windows of plan Free without a ban', async () => {
    const app = await testApp({ engine: 'sqlite', limits: 'free' });
    const options = { apiKey: app.key, baseUrl: `${app.address}/v1`, maxWaitMs: 90_000 };
    const store = new Petstore(options);
    await openWindow(app, 3_000);
    let served = 0;
    const loop = async () => {
      for (let call = 0; call < 11; call++) {
        await store.categories.list();
        served += 1;
      }
    };
    await Promise.all(Array.from({ length: 10 }, loop));
    expect(served).toBe(110);
    expect(await refusalsOf(store)).toBeLessThanOrEqual(10);
  });

  it('lets no batch be refused on plan Free, however many are sent at once', async () => {
    const app = await testApp({ engine: 'sqlite', limits: 'free' });
    const options = { apiKey: app.key, baseUrl: `${app.address}/v1`, maxWaitMs: 0 };
    const store = new Petstore({ ...options, maxConcurrent: 50 });
    const { id: categoryId } = await store.categories.create({ name: 'Fish' });
    const pets = Array.from({ length: 1_000 }, (_, n) => ({ name: `Guppy ${n}`, categoryId }));
    const batches = Array.from({ length: 50 }, () => store.pets.createMany({ pets }));
    const outcomes = await Promise.allSettled(batches);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await refusalsOf(store)).toBe(0);
  });
});

describe('a list', () => {
  it('of 1,050 records misses none and repeats none while others come and go', async () => {
    const app = await testApp({ engine: 'sqlite' });
    const store = new Petstore({ apiKey: app.key, baseUrl: `${app.address}/v1` });
    const { id: categoryId } = await store.categories.create({ name: 'Fish' });
    const names = Array.from({ length: 1_050 }, (_, n) => ({ name: `Guppy ${n}`, categoryId }));
    await store.pets.createMany({ pets: names.slice(0, 1_000) });
    await store.pets.createMany({ pets: names.slice(1_000) });
    const all = await store.pets.list({ limit: 100 }).toArray({ limit: 2_000 });
    const doomed = new Set(all.filter((_, n) => n % 100 === 50).map(({ id }) => id));
    const victims = [...doomed];
    const seen: number[] = [];
    for await (const { id } of store.pets.list({ limit: 50 })) {
      seen.push(id);
      if (seen.length % 100 !== 0) continue;
      await store.pets.create({ name: 'Late', categoryId });
      const victim = victims.pop();
      if (victim !== undefined) await store.pets.delete(victim);
    }
    expect(new Set(seen).size).toBe(seen.length);
    const stayed = all.filter(({ id }) => !doomed.has(id)).map(({ id }) => id);
    expect(stayed.filter((id) => !seen.includes(id))).toEqual([]);
  });
});

describe('a signal', () => {
  /** A server that does what the test says, and counts its requests. */
  async function serverThat(listener: RequestListener) {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return new Petstore({ apiKey: 'psk_test', baseUrl: `http://127.0.0.1:${port}/v1` });
  }

  it.each([
    ['before the headers', () => {}],
    [
      'in the middle of the body',
      (res: Parameters<RequestListener>[1]) => {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.write('[{"id":');
      },
    ],
  ])('ends a request %s, with its reason and without a retry', async (_, respond) => {
    let requests = 0;
    const controller = new AbortController();
    const store = await serverThat((_, res) => {
      requests += 1;
      respond(res);
      setTimeout(() => controller.abort(new Error('enough')), 50);
    });
    const call = store.pets.list({}, { signal: controller.signal });
    await expect(call).rejects.toThrow('enough');
    expect(requests).toBe(1);
  });
});

describe('the tree of errors', () => {
  const classes: Record<number, unknown> = {
    400: client.InvalidRequestError,
    401: client.AuthenticationError,
    403: client.PermissionError,
    404: client.NotFoundError,
    409: client.ConflictError,
    410: client.SunsetError,
    412: client.PreconditionError,
    422: client.ConflictError,
    429: client.RateLimitError,
    500: client.ServerError,
    503: client.ServerError,
  };

  it.each(Object.entries(errorTable))('has a class for %s', async (code, { status, message }) => {
    const body = { code, message, status, requestId: 'r-1' };
    const fetch = scriptedFetch([{ status, body }]);
    const store = new Petstore({ apiKey: 'psk_test', baseUrl: 'http://pets/v1', fetch });
    const options = { maxRetries: 0 };
    const err = await store.orders.place({ petId: 1 }, options).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(err).toBeInstanceOf(classes[status] ?? client.PetstoreError);
    expect(err).toMatchObject({ code, status, message, requestId: 'r-1' });
  });
});
