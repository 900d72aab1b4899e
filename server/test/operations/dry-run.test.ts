// What holds for the dry run of every write. The tests loop over the list of operations.

import { beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import { operations } from '../../src/operations/operations.ts';
import { type Answer, type CallOptions, type TestApp, testApp } from '../support/app.ts';
import { expectDocumented, expectError } from '../support/contract.ts';
import { onOne } from '../support/effort.ts';
import { tableRows } from '../support/table-rows.ts';
import { type ExampleRequest, exampleRequests, optionsFor, World } from './example-requests.ts';

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_SIGNUP: 'open', PETSTORE_WEBHOOKS: 'off' } });
  world = new World(app, app.key);
});

const writes = operations.filter(({ kind }) => kind !== 'read');
const named = (list: readonly Operation[]) => list.map((each) => [each.id, each] as const);
const dryRunnable = named(writes.filter(({ takesDryRun }) => takesDryRun));
const others = named(writes.filter(({ takesDryRun }) => !takesDryRun));

/** For each operation, a change of its example that is refused by what is stored. */
const refused: Record<string, (given: ExampleRequest) => ExampleRequest | Promise<ExampleRequest>> =
  {
    createPet: ({ path }) => ({ path, body: { name: 'Rex', categoryId: 999_999 } }),
    putPetByReference: ({ path }) => ({ path, body: { name: 'Rex', categoryId: 999_999 } }),
    createPets: ({ path }) => ({ path, body: { pets: [{ name: 'Rex', categoryId: 999_999 }] } }),
    updatePet: ({ path }) => ({ path, body: { name: 'Max', categoryId: 999_999 } }),
    createCategory: ({ path }) => ({ path, body: { name: 'Taken' } }),
    updateCategory: ({ path }) => ({ path, body: { name: 'taken' } }),
    adjustInventory: ({ path }) => ({ path, body: { delta: -9, reason: 'lost' } }),
    placeOrder: ({ path, body }) => ({ path, body: { ...(body as object), quantity: 9 } }),
    placeOrders: ({ path, body }) => {
      const [order] = (body as { orders: object[] }).orders;
      return { path, body: { orders: [order, order] } };
    },
    setStock: ({ path, body }) => {
      const [item] = (body as { items: { petId: number }[] }).items;
      return { path, body: { items: [{ petId: item!.petId, delta: -9, reason: 'lost' }] } };
    },
    closeWorkspace: (given) => ({ ...given, body: { name: 'another' } }),
    reopenWorkspace: async ({ path }) => {
      const { workspace, key } = await world.otherWorkspace();
      const { id, name } = workspace;
      await app.call('POST', `/v1/admin/workspaces/${id}/close`, { body: { name } });
      return { path, options: { key: key.key } };
    },
    updateOrder: ({ path }) => ({ path, body: { quantity: 9 } }),
    reverseMovement: ({ path, body }) => ({
      path: path.replace(/movements\/\d+/, 'movements/999999999'),
      body,
    }),
  };

function send(operation: Operation, request: ExampleRequest, options?: CallOptions) {
  return app.call(operation.method, `/v1${request.path}`, optionsFor(request, options));
}

function runDry(operation: Operation, request: ExampleRequest, options?: CallOptions) {
  return send(operation, { ...request, path: `${request.path}?dryRun=true` }, options);
}

/** Instants differ from one request to the next. */
function lasting(body: object): object {
  const { createdAt: _, at: __, stateSince, eraseAt, ...rest } = body as Record<string, unknown>;
  return rest;
}

function outcomeOf({ status, body }: Answer<{ code?: string; details?: unknown } | string>) {
  const { code, details } = typeof body === 'string' ? {} : body;
  return { class: Math.floor(status / 100), code, details };
}

describe('the dry run of every write of the store', () => {
  it.each(dryRunnable)('%s answers as in earnest and keeps nothing', async (id, operation) => {
    const request = await exampleRequests[id]!(world);
    const before = await tableRows(app);
    const dry = await runDry(operation, request);
    expect(await tableRows(app)).toBe(before);
    const { method, success } = operation;
    const isPut = success.kind === 'put';
    expect(dry.status, dry.text).toBe(method === 'DELETE' ? 204 : isPut ? 201 : 200);
    expectDocumented(id, dry);
    expect(dry.headers.get('dry-run')).toBe('true');
    expect([dry.headers.get('etag'), dry.headers.get('location')]).toEqual([null, null]);
    const real = await send(operation, request);
    expect(real.status, real.text).toBe(operation.success.status);
    expect(real.headers.has('dry-run')).toBe(false);
    if (success.kind === 'created' || isPut) {
      const { id: assigned, ...rest } = real.body;
      expect(assigned).toEqual(expect.any(Number));
      expect(lasting(dry.body)).toEqual(lasting(rest));
    } else if (success.kind === 'record') {
      expect(lasting(dry.body)).toEqual(lasting(real.body));
    }
  });

  it.each(dryRunnable)('%s is refused as in earnest and keeps nothing', async (id, operation) => {
    await app.call('POST', '/v1/categories', { body: { name: 'Taken' } });
    const given = await exampleRequests[id]!(world);
    const request = (await refused[id]?.(given)) ?? given;
    const options = refused[id] ? {} : { headers: { 'if-match': '"stale"' } };
    const before = await tableRows(app);
    const dry = await runDry(operation, request, options);
    expect(dry.status).toBeGreaterThanOrEqual(400);
    expect(dry.headers.get('dry-run')).toBe('true');
    expectDocumented(id, dry);
    const real = await send(operation, request, options);
    expect(outcomeOf(dry)).toEqual(outcomeOf(real));
    expect(await tableRows(app)).toBe(before);
  });

  it.each(onOne(dryRunnable))('%s takes true and false and nothing else', async (id, operation) => {
    const given = await exampleRequests[id]!(world);
    const sendWith = (search: string) =>
      send(operation, { ...given, path: `${given.path}?dryRun=${search}` });
    const before = await tableRows(app);
    for (const value of ['1', 'yes', 'TRUE', '', 'true&dryRun=true']) {
      const answer = await sendWith(value);
      expectError(answer, 'invalid_request');
      expect(answer.body.details[0].field).toBe('dryRun');
    }
    expect(await tableRows(app)).toBe(before);
    const real = await sendWith('false');
    expect(real.status, real.text).toBe(operation.success.status);
    expect(real.headers.has('dry-run')).toBe(false);
  });

  it.each(dryRunnable)('%s leaves its Idempotency-Key free', async (id, operation) => {
    const request = await exampleRequests[id]!(world);
    const options = { headers: { 'idempotency-key': `dry-${id}` } };
    const dry = await runDry(operation, request, options);
    expect(dry.status).toBeLessThan(300);
    const real = await send(operation, request, options);
    expect([real.status, real.headers.get('idempotency-replayed')]).toEqual([
      operation.success.status,
      null,
    ]);
    // The key now belongs to another request.
    const again = await exampleRequests[id]!(world);
    expect((await runDry(operation, again, options)).status).toBeLessThan(300);
    const malformed = { headers: { 'idempotency-key': 'a b' } };
    expectError(await runDry(operation, again, malformed), 'invalid_request');
  });
});

describe('a dry run', () => {
  it.each(onOne(others))(
    'is refused by %s, which takes none and does nothing',
    async (id, operation) => {
      const request = await exampleRequests[id]!(world);
      const before = await tableRows(app);
      const answer = await runDry(operation, request);
      expectError(answer, 'invalid_request');
      expect(answer.body.details[0].field).toBe('dryRun');
      expect(await tableRows(app)).toBe(before);
    },
  );

  it('is there for every write of pets, categories, inventory, orders and the workspace', () => {
    const tags = new Set(['animals', 'categories', 'inventory', 'orders', 'workspace']);
    const wanted = writes.filter(({ tag, id }) => tags.has(tag) && id !== 'signUp');
    expect(dryRunnable.map(([id]) => id)).toEqual(wanted.map(({ id }) => id));
  });

  it('shows a new order without id, Location and ETag', async () => {
    const petId = await world.pet();
    const answer = await app.call('POST', '/v1/store/orders?dryRun=true', { body: { petId } });
    const createdAt = expect.any(String);
    const state = 'open';
    expect(answer.body).toEqual({ petId, quantity: 1, complete: false, state, createdAt });
    expect([answer.status, answer.headers.get('location'), answer.headers.get('etag')]).toEqual([
      200,
      null,
      null,
    ]);
  });

  it('of a batch of 1,000 rows shows their errors and costs as in earnest', async () => {
    const limits = { perMinute: 400, perDay: 1_000 };
    const input = { name: 'Batches', plan: 'enterprise', limits };
    const made = await app.call('POST', '/v1/admin/workspaces', { body: input });
    const { key } = made.body.key;
    const own = new World(app, key);
    const categoryId = await own.category();
    const pets = Array.from({ length: 1_000 }, (_, at) => ({
      name: 'Rex',
      categoryId: at % 10 === 3 ? 999_999 : categoryId,
    }));
    const body = { pets, mode: 'each' };
    let sent = 0;
    // A slow machine may not be done in the time that a request has; it has then done nothing.
    const send = async (search: string): Promise<Answer<{ results: object[] }>> => {
      sent += 1;
      const answer = await app.call('POST', `/v1/pets/batch${search}`, { key, body });
      return answer.status === 503 ? send(search) : answer;
    };
    const before = await tableRows(app);
    const dry = await send('?dryRun=true');
    const sentDry = sent;
    expect(await tableRows(app)).toBe(before);
    const real = await send('');
    expect(dry.body).toMatchObject({ created: 900, refused: 100 });
    const shown = real.body.results.map((row) => ('errors' in row ? row : {}));
    expect(dry.body).toEqual({ ...real.body, results: shown });
    const left = [dry, real].map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    // The category cost one request, each batch ten.
    expect(left).toEqual([399 - 10 * sentDry, 399 - 10 * sent]);
  });

  it('counts in the usage of its operation and emits nothing', async () => {
    const body = { name: 'Usage', plan: 'pro' };
    const { key } = (await app.call('POST', '/v1/admin/workspaces', { body })).body.key;
    const category = { name: 'Only a dry run' };
    await app.call('POST', '/v1/categories?dryRun=true', { key, body: category });
    await app.call('POST', '/v1/categories?dryRun=true', { key, body: { name: '' } });
    const { history } = (await app.call('GET', '/v1/usage', { key })).body;
    expect(history).toMatchObject([{ operationId: 'createCategory', admitted: 2, failed: 1 }]);
    const events = await app.call('GET', '/v1/events?after=0', { key });
    expect(events.body.map(({ type }: { type: string }) => type)).toEqual(['key.created']);
  });

  it('holds If-Match against the record as it is', async () => {
    const path = `/v1/categories/${await world.category()}`;
    const etag = (await app.call('GET', path)).headers.get('etag')!;
    const patch = (ifMatch: string) =>
      app.call('PATCH', `${path}?dryRun=true`, {
        body: { name: 'Other' },
        headers: { 'if-match': ifMatch },
      });
    expectError(await patch('"stale"'), 'precondition_failed');
    expect((await patch(etag)).body).toMatchObject({ name: 'Other' });
    // Nothing has changed, so the same condition holds again.
    expect((await patch(etag)).status).toBe(200);
  });

  it('leaves reads as they are, also those that are repeated from memory', async () => {
    const petId = await world.pet();
    const read = () => app.call('GET', `/v1/inventory/${petId}`);
    const before = (await read()).text;
    await app.call('PATCH', `/v1/inventory/${petId}?dryRun=true`, { body: { quantity: 7 } });
    await app.call('DELETE', `/v1/pets/${petId}?dryRun=true`);
    expect((await read()).text).toBe(before);
  });
});
