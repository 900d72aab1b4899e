// What every change tells the feed. One shop lives through all of them; each test reads what came since the last.

import { beforeAll, describe, expect, it } from 'vitest';
import type { EventView } from '../../../src/operations/views/event.ts';
import { createKey } from '../../../src/services/keys.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectDocumented } from '../../support/contract.ts';

let app: TestApp;
let cursor = '0';

beforeAll(async () => {
  app = await testApp();
});

/** The events since the last call. */
async function news(key = app.key): Promise<EventView[]> {
  app.clock.advance(2_000);
  const answer = await app.call<EventView[]>('GET', `/v1/events?after=${cursor}`, { key });
  expect(answer.status, answer.text).toBe(200);
  expectDocumented('listEvents', answer);
  cursor = answer.headers.get('events-cursor')!;
  return answer.body;
}

async function post(path: string, body: unknown) {
  const answer = await app.call('POST', `/v1${path}`, { body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

async function patch(path: string, body: unknown) {
  const answer = await app.call('PATCH', `/v1${path}`, { body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

const get = async (path: string) => (await app.call('GET', `/v1${path}`)).body;

describe('the feed of a workspace', () => {
  it('begins with its first key', async () => {
    const [first] = await news();
    expect(first).toMatchObject({ sequence: 1, type: 'key.created' });
    expect(first!.id).toMatch(/^evt_1_1_/);
    expect(first).not.toHaveProperty('keyId');
    expect(JSON.stringify(first)).not.toContain(app.key);
  });

  it('tells of categories, with the earlier values of what changed', async () => {
    const created = await post('/categories', { name: 'Dogs' });
    const updated = await patch(`/categories/${created.id}`, { description: 'Loud.' });
    await patch(`/categories/${created.id}`, { description: 'Loud.', name: 'Dogs' });
    const spare = await post('/categories', { name: 'Cats' });
    await app.call('DELETE', `/v1/categories/${spare.id}`);
    const keyId = app.key.slice(4, 16);
    expect(await news()).toMatchObject([
      { type: 'category.created', keyId, data: { category: created } },
      {
        type: 'category.updated',
        keyId,
        data: { category: updated },
        before: { description: null },
      },
      { type: 'category.created', data: { category: spare } },
      { type: 'category.deleted', data: { category: spare } },
    ]);
  });

  it('tells of pets as the API shows them, each with its inventory', async () => {
    const pet = await post('/pets', { name: 'Rex', categoryId: 1 });
    const held = await post('/pets', { name: 'Max', categoryId: 1, status: 'pending' });
    const renamed = await patch(`/pets/${pet.id}`, { name: 'Rexy', status: 'pending' });
    await patch(`/pets/${pet.id}`, { status: 'available' });
    await patch(`/pets/${pet.id}`, { status: 'available', name: 'Rexy' });
    const inventory = await get(`/inventory/${pet.id}`);
    await app.call('DELETE', `/v1/pets/${held.id}`);
    const held0 = { petId: held.id, quantity: 1, reserved: 0, available: 1, status: 'pending' };
    expect(await news()).toMatchObject([
      { type: 'pet.created', data: { pet, inventory } },
      { type: 'pet.created', data: { pet: held, inventory: held0 } },
      {
        type: 'pet.updated',
        data: { pet: renamed, inventory: { status: 'pending' } },
        before: { name: 'Rex', status: 'available' },
      },
      { type: 'pet.updated', data: { inventory }, before: { status: 'pending' } },
      { type: 'pet.deleted', data: { pet: held, inventory: held0 } },
    ]);
  });

  it('tells of each pet of a batch, and of none that was refused', async () => {
    const pets = [
      { name: 'A', categoryId: 1 },
      { name: 'B', categoryId: 99 },
      { name: 'C', categoryId: 1, status: 'sold' },
    ];
    await post('/pets/batch', { pets, mode: 'each' });
    const refused = await app.call('POST', '/v1/pets/batch', { body: { pets } });
    expect(refused.status).toBe(400);
    expect((await news()).map(({ type, data }) => [type, data.pet])).toEqual([
      ['pet.created', expect.objectContaining({ name: 'A', status: 'available' })],
      ['pet.created', expect.objectContaining({ name: 'C', status: 'sold' })],
    ]);
  });

  it('tells of stock with its row in the ledger', async () => {
    const { id } = await post('/pets', { name: 'Stock', categoryId: 1 });
    await patch(`/inventory/${id}`, { quantity: 10, reason: 'count' });
    await patch(`/inventory/${id}`, { quantity: 10 });
    await post(`/inventory/${id}/adjustments`, { delta: -2, reason: 'lost', reference: 'X-1' });
    await patch(`/pets/${id}`, { status: 'sold' });
    const [, ...events] = await news();
    const movements = await get(`/inventory/${id}/movements`);
    expect(events).toMatchObject([
      {
        type: 'inventory.adjusted',
        data: { inventory: { quantity: 10 }, movement: movements[1] },
      },
      { type: 'inventory.adjusted', data: { inventory: { quantity: 8 }, movement: movements[2] } },
      { type: 'pet.updated', data: { inventory: { quantity: 0, status: 'sold' } } },
    ]);
  });

  it('tells of orders, with what they leave', async () => {
    const pet = await post('/pets', { name: 'Sold', categoryId: 1 });
    await patch(`/inventory/${pet.id}`, { quantity: 10 });
    await news();
    const shipDate = '2026-12-24T10:00:00Z';
    const open = await post('/store/orders', { petId: pet.id, quantity: 2, shipDate });
    const plain = await post('/store/orders', { petId: pet.id });
    const complete = await post('/store/orders', { petId: pet.id, quantity: 3, complete: true });
    const dated = await patch(`/store/orders/${plain.id}`, { shipDate });
    await patch(`/store/orders/${plain.id}`, { shipDate });
    const done = await patch(`/store/orders/${plain.id}`, { quantity: 2, complete: true });
    await app.call('DELETE', `/v1/store/orders/${open.id}`);
    const cancelled = await get(`/store/orders/${open.id}`);
    expect(cancelled.state).toBe('cancelled');
    const { endedAt: _, ...changed } = { ...done, complete: false, state: 'open' };
    const left = (quantity: number, reserved: number) => {
      return { inventory: { quantity, reserved, available: quantity - reserved } };
    };
    expect(await news()).toMatchObject([
      { type: 'order.placed', data: { order: open, ...left(10, 2) } },
      { type: 'order.placed', data: { order: plain, ...left(10, 3) } },
      { type: 'order.placed', data: { order: complete, ...left(7, 3) } },
      { type: 'order.fulfilled', data: { order: complete, ...left(7, 3) } },
      { type: 'order.updated', data: { order: dated, ...left(7, 3) }, before: { shipDate: null } },
      {
        type: 'order.updated',
        data: { order: changed, ...left(7, 4) },
        before: { quantity: 1 },
      },
      { type: 'order.fulfilled', data: { order: done, ...left(5, 2) } },
      { type: 'order.cancelled', data: { order: cancelled, ...left(5, 0) } },
    ]);
  });

  it('shows the status of a held pet whose open order changes', async () => {
    const pet = await post('/pets', { name: 'Held', categoryId: 1 });
    await patch(`/inventory/${pet.id}`, { quantity: 5 });
    const order = await post('/store/orders', { petId: pet.id, quantity: 2 });
    await patch(`/pets/${pet.id}`, { status: 'pending' });
    await news();
    await patch(`/store/orders/${order.id}`, { quantity: 1 });
    const events = await news();
    expect(events[0]!.data.inventory).toEqual(await get(`/inventory/${pet.id}`));
    expect(events[0]!.data.inventory).toMatchObject({ status: 'pending', available: 4 });
  });

  it('shows the earlier ship date as a time, also that of the epoch', async () => {
    const { id } = await post('/pets', { name: 'Dated', categoryId: 1 });
    const epoch = '1970-01-01T00:00:00Z';
    const order = await post('/store/orders', { petId: id, shipDate: epoch });
    await news();
    await patch(`/store/orders/${order.id}`, { shipDate: '2026-12-24T10:00:00Z' });
    expect(await news()).toMatchObject([{ type: 'order.updated', before: { shipDate: epoch } }]);
  });

  it('tells once of each crossing of lowStockAt, behind its cause', async () => {
    const pet = await post('/pets', { name: 'Low', categoryId: 1 });
    await patch(`/inventory/${pet.id}`, { quantity: 10 });
    const updated = await patch('/workspace', { lowStockAt: 3 });
    expect(updated.lowStockAt).toBe(3);
    const [, , workspace] = await news();
    expect(workspace).toMatchObject({
      type: 'workspace.updated',
      data: { workspace: updated },
      before: { lowStockAt: null },
    });
    const order = (quantity: number, complete = false) =>
      post('/store/orders', { petId: pet.id, quantity, complete });
    await order(6);
    const crossing = await order(1);
    await order(1, true);
    await app.call('DELETE', `/v1/store/orders/${crossing.id}`);
    const types = (await news()).map(({ type }) => type);
    expect(types).toEqual([
      'order.placed',
      'order.placed',
      'inventory.low',
      'order.placed',
      'order.fulfilled',
      'order.cancelled',
    ]);
    await post(`/inventory/${pet.id}/adjustments`, { delta: 5, reason: 'delivery' });
    await order(6, true);
    await patch(`/inventory/${pet.id}`, { quantity: 20 });
    await patch(`/inventory/${pet.id}`, { quantity: 7 });
    const second = await news();
    expect(second.map(({ type }) => type)).toEqual([
      'inventory.adjusted',
      'order.placed',
      'order.fulfilled',
      'inventory.low',
      'inventory.adjusted',
      'inventory.adjusted',
      'inventory.low',
    ]);
    const low = second[3]!;
    expect(low).toMatchObject({ keyId: app.key.slice(4, 16), data: { lowStockAt: 3 } });
    expect(low.data.inventory).toEqual(second[2]!.data.inventory);
    await patch('/workspace', { lowStockAt: null });
    expect(await get('/workspace')).not.toHaveProperty('lowStockAt');
    await patch(`/inventory/${pet.id}`, { quantity: 20 });
    await patch(`/inventory/${pet.id}`, { quantity: 6 });
    expect((await news()).map(({ type }) => type)).not.toContain('inventory.low');
  });

  it('tells once of a crossing when many buyers come at once', async () => {
    const pet = await post('/pets', { name: 'Rush', categoryId: 1 });
    await patch(`/inventory/${pet.id}`, { quantity: 80 });
    await patch('/workspace', { lowStockAt: 40 });
    await news();
    const buy = () => app.call('POST', '/v1/store/orders', { body: { petId: pet.id } });
    await Promise.all(Array.from({ length: 60 }, buy));
    const events = await news();
    expect(events.filter(({ type }) => type === 'inventory.low')).toHaveLength(1);
    const available = events
      .filter(({ type }) => type === 'order.placed')
      .map(({ data }) => (data.inventory as { available: number }).available);
    expect(available).toEqual(Array.from({ length: 60 }, (_, at) => 79 - at));
    await patch('/workspace', { lowStockAt: null });
    await news();
  });

  it('tells of keys and never their secret', async () => {
    const made = await post('/keys', { name: 'shop', scopes: ['read'] });
    const rotated = await post(`/keys/${made.id}/rotate`, { overlapSeconds: 60 });
    await app.call('DELETE', `/v1/keys/${rotated.id}`);
    const events = await news();
    expect(events).toMatchObject([
      { type: 'key.created', data: { key: { id: made.id, name: 'shop' } } },
      { type: 'key.rotated', data: { key: { id: made.id }, newKey: { id: rotated.id } } },
      { type: 'key.revoked', data: { key: { id: rotated.id, revokedAt: expect.any(String) } } },
    ]);
    const { items } = { items: await get('/keys') };
    const old = items.find(({ id }: { id: string }) => id === made.id);
    expect((events[1]!.data.key as { expiresAt: string }).expiresAt).toBe(old.expiresAt);
    expect(JSON.stringify(events)).not.toMatch(/psk_\w{13}/);
  });

  it("tells of the operator's changes without a key", async () => {
    const { body } = await app.call('POST', '/v1/admin/workspaces', { body: { name: 'Other' } });
    const { id } = body.workspace;
    await app.call('PATCH', `/v1/admin/workspaces/${id}`, { body: { plan: 'pro' } });
    const feed = await app.call('GET', '/v1/events', { key: body.key.key });
    expect(feed.body).toMatchObject([
      { type: 'key.created', data: { key: { id: body.key.id } } },
      { type: 'workspace.updated', before: { plan: 'free' }, data: { workspace: { plan: 'pro' } } },
    ]);
    for (const event of feed.body) expect(event).not.toHaveProperty('keyId');
    expect(await news()).toEqual([]);
  });

  it('is written by the command line too', async () => {
    await app.transact((tx) =>
      createKey(tx, {
        workspaceId: 1,
        key: { name: 'by command', scopes: ['read'] },
        now: Date.now(),
      }),
    );
    expect(await news()).toMatchObject([{ type: 'key.created' }]);
  });

  it('has no hole', async () => {
    const all: EventView[] = [];
    for (let after = '0'; ; ) {
      app.clock.advance(2_000);
      const page = await app.call<EventView[]>('GET', `/v1/events?after=${after}&limit=100`);
      if (page.body.length === 0) break;
      all.push(...page.body);
      after = page.headers.get('events-cursor')!;
    }
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, at) => at + 1));
  });
});
