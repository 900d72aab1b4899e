import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type TestApp, testApp } from '../../server/test/support/app.ts';
import {
  ConflictError,
  Petstore,
  PreconditionError,
  type RateLimitError,
} from '../src/petstore.ts';

let app: TestApp;
let store: Petstore;

beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  store = storeWith(app.key);
});

function storeWith(apiKey: string, options = {}): Petstore {
  return new Petstore({ apiKey, baseUrl: `${app.address}/v1`, ...options });
}

async function newPet(name: string) {
  const category = await store.categories.create({ name: `Category of ${name}` });
  return store.pets.create({ name, categoryId: category.id });
}

describe('the client against a service', () => {
  it('creates, reads and changes records, and tells a stale ETag', async () => {
    const rex = await newPet('Rex');
    const { data: item, etag } = await store.inventory.get(rex.id).withResponse();
    expect(item).toMatchObject({ petId: rex.id, quantity: 1 });
    const change = { quantity: 6, reason: 'delivery' };
    await store.inventory.update(rex.id, change, { ifMatch: etag });
    const again = store.inventory.update(rex.id, { quantity: 7 }, { ifMatch: etag });
    await expect(again).rejects.toBeInstanceOf(PreconditionError);
    const fresh = await store.inventory.get(rex.id).withResponse();
    const same = await store.inventory.get(rex.id, {}, { ifNoneMatch: fresh.etag }).withResponse();
    expect([same.response.status, same.data]).toEqual([304, undefined]);
    // @ts-expect-error while nothing has changed there is no record.
    expect(() => same.data.quantity).toThrow(TypeError);
  });

  it('says what is available when there is too little', async () => {
    const pet = await newPet('Bella');
    const err = await store.orders
      .place({ petId: pet.id, quantity: 2 })
      .catch((error: unknown) => error);
    expect(err).toBeInstanceOf(ConflictError);
    expect(err).toMatchObject({ code: 'insufficient_stock', details: { available: 1 } });
  });

  it('says what a write would do, and keeps nothing', async () => {
    const pet = await newPet('Coco');
    const order = { petId: pet.id, quantity: 1 };
    const { data, response } = await store.orders.place(order, { dryRun: true }).withResponse();
    expect([response.status, response.headers.get('dry-run')]).toEqual([200, 'true']);
    expect(data).toMatchObject({ ...order, complete: false });
    // @ts-expect-error what was not kept has no id.
    expect(data.id).toBeUndefined();
    const tooMany = store.orders.place({ ...order, quantity: 2 }, { dryRun: true });
    await expect(tooMany).rejects.toBeInstanceOf(ConflictError);
    await store.pets.delete(pet.id, { dryRun: true });
    expect((await store.inventory.get(pet.id)).available).toBe(1);
    const placed = await store.orders.place(order, { dryRun: false });
    expect(placed.id).toEqual(expect.any(Number));
  });

  it('a list of no ids finds no pet, and says why', async () => {
    await newPet('Unlisted');
    await expect(store.pets.list({ status: null } as object)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ field: 'status' }],
    });
    await expect(store.pets.list({ id: [] })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ field: 'id' }],
    });
  });

  it('goes over all pages, and stops when asked to', async () => {
    const category = await store.categories.create({ name: 'Many' });
    const pets = Array.from({ length: 250 }, (_, n) => ({
      name: `Many ${n}`,
      categoryId: category.id,
    }));
    await store.pets.createMany({ pets });
    const names = new Set<string>();
    const list = store.pets.list({ categoryId: category.id, limit: 100 });
    for await (const pet of list) names.add(pet.name);
    expect(names.size).toBe(250);
    let requests = 0;
    const counting = storeWith(app.key, { onRequest: () => (requests += 1) });
    const some = await counting.pets
      .list({ categoryId: category.id, limit: 10 })
      .toArray({ limit: 15 });
    expect([some.length, requests]).toEqual([15, 2]);
    const { items, nextCursor } = await counting.pets.list({ id: [1, 2], limit: 1 });
    expect([items.length, typeof nextCursor]).toEqual([1, 'string']);
  });

  it('replays a stored response', async () => {
    const pet = await newPet('Milo');
    const options = { idempotencyKey: 'cart-1' };
    const first = await store.orders.place({ petId: pet.id }, options);
    const second = await store.orders.place({ petId: pet.id }, options).withResponse();
    expect(second.data).toEqual(first);
    expect(second.isReplay).toBe(true);
  });

  it('places exactly one order when the connection is lost after the commit', async () => {
    const pet = await newPet('Luna');
    let attempts = 0;
    const proxy = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = await fetch(`${app.address}${request.url}`, {
        method: request.method!,
        headers: {
          authorization: request.headers.authorization!,
          'content-type': 'application/json',
          'idempotency-key': request.headers['idempotency-key'] as string,
        },
        body: Buffer.concat(chunks),
      });
      attempts += 1;
      if (attempts === 1) return request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      return response.end(await answer.text());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const through = storeWith(app.key, { baseUrl: `http://127.0.0.1:${port}/v1` });
    const order = await through.orders.place({ petId: pet.id });
    const orders = await store.orders.list({ petId: pet.id });
    expect(attempts).toBe(2);
    expect(orders.items).toEqual([order]);
  });

  it('gets a pet without the deprecated operation, which a request of any kind reaches', async () => {
    const pet = await newPet('Max');
    const events: object[] = [];
    const watching = storeWith(app.key, { onDeprecated: (event: object) => events.push(event) });
    expect(await watching.pets.get(pet.id)).toEqual(pet);
    await expect(watching.pets.get(9_999)).rejects.toMatchObject({
      name: 'NotFoundError',
      code: 'not_found',
      status: 404,
      message: 'No pet 9999 in this workspace.',
    });
    expect(events).toEqual([]);
    expect(await watching.request('GET', `/pets/${pet.id}`)).toEqual(pet);
    const successor = `/v1/pets?id=${pet.id}`;
    const sunset = 'Thu, 05 Dec 2030 00:00:00 GMT';
    expect(events).toEqual([{ operation: `GET /pets/${pet.id}`, sunset, successor }]);
  });
});

describe('the gate', () => {
  it.each([10, 100])(
    'lets 1,000 calls at once on plan Free end without a ban, %i of them in flight',
    async (maxConcurrent) => {
      const free = await testApp({ engine: 'sqlite', limits: 'free' });
      const gated = new Petstore({
        apiKey: free.key,
        baseUrl: `${free.address}/v1`,
        maxWaitMs: 0,
        maxConcurrent,
      });
      const calls = Array.from({ length: 1_000 }, () =>
        gated.pets.list().then(
          () => 'ok',
          (err: unknown) => (err as RateLimitError).isLocal,
        ),
      );
      const outcomes = await Promise.all(calls);
      expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(60);
      const { history, bans } = await gated.usage.get();
      const refused = history.reduce((sum, day) => sum + day.refused, 0);
      expect(refused).toBeLessThanOrEqual(10);
      expect(bans).toEqual([]);
      expect(gated.rateLimit).toMatchObject({ limit: 60, remaining: 0 });
    },
  );
});
