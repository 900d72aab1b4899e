import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Datastore } from '../../../src/datastore/datastore.ts';
import { erasedTables } from '../../../src/datastore/tenants/erasure.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { importWorkspace } from '../../../src/services/archive/import-workspace.ts';
import { eraseWorkspaces } from '../../../src/services/tenants/erase-workspaces.ts';
import { openStore } from '../../../src/stores.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { WAIT } from '../webhooks/receiver-app.ts';
import { archiveOf, exported, filesIn, recordsIn } from './archive-files.ts';
import { type Any, filledShop, shop } from './filled-shop.ts';
import { importCommand } from './import-command.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
const { file, output, run: runImport } = importCommand(() => app);

async function imported(archive: Buffer) {
  expect(await runImport(archive), output.stderr).toBe(0);
  const { workspaceId, key, records } = JSON.parse(output.stdout);
  const send = async (method: string, path: string, body?: unknown): Promise<Any> => {
    const given = body === undefined ? {} : { body };
    const answer = await app.call(method, `/v1${path}`, { key, ...given });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  return { id: workspaceId as number, key: key as string, records, send };
}

const differences = () => app.transact(async (tx) => tx.audit.differences());
const NONE = { reserved: [], ledger: [], links: [] };

/** Records with the place of their id, and of those that they refer to, instead of the id. */
function withPlaces(records: Record<string, Any[]>) {
  const placeIn = (noun: string) => {
    const ids = records[noun]!.map(({ id }) => id);
    return (id: Any) => (id === undefined ? undefined : ids.indexOf(id));
  };
  const [category, pet, order, row, key] = [
    ...['categories', 'pets', 'orders', 'ledger'].map(placeIn),
    (id: Any) => (id === undefined ? undefined : typeof id),
  ] as ((id: Any) => Any)[];
  return {
    categories: records.categories!.map((each) => ({ ...each, id: 0 })),
    pets: records.pets!.map((each) => ({
      ...each,
      id: 0,
      categoryId: each.categoryId && category!(each.categoryId),
    })),
    orders: records.orders!.map((each) => ({ ...each, id: 0, petId: pet!(each.petId) })),
    ledger: records.ledger!.map((each) => ({
      ...each,
      id: 0,
      petId: pet!(each.petId),
      orderId: order!(each.orderId),
      reverses: row!(each.reverses),
      reversedBy: row!(each.reversedBy),
      keyId: key!(each.keyId),
    })),
  };
}

describe('an import of a workspace', () => {
  it('has all records, with ids of their own', async () => {
    const own = await filledShop(app);
    const archive = await exported(app, '/workspace/export', own.key);
    const { records } = recordsIn(archive);
    const made = await imported(archive);
    const again = recordsIn(await exported(app, '/workspace/export', made.key));
    expect(withPlaces(again.records)).toEqual(withPlaces(records));
    const ids = (noun: string, all: Record<string, Any[]>) => all[noun]!.map(({ id }) => id);
    for (const noun of ['categories', 'pets', 'orders', 'ledger', 'webhooks', 'keys']) {
      const before = new Set(ids(noun, records));
      expect(ids(noun, again.records).some((id) => before.has(id))).toBe(false);
    }
    expect(made.records).toMatchObject({ pets: 3, orders: 3, webhooks: 1, categories: 1 });
    expect(await differences()).toEqual(NONE);
    // The workspace that was exported is what it was.
    const { records: left } = recordsIn(await exported(app, '/workspace/export', own.key));
    expect([left.pets, left.orders]).toEqual([records.pets, records.orders]);
  });

  it('is a workspace like any other: it is searched, sells, and has one key', async () => {
    const own = await filledShop(app);
    const made = await imported(await exported(app, '/workspace/export', own.key));
    const [pet] = await made.send('GET', '/pets?q=tom');
    expect(pet).toMatchObject({
      name: 'Tom',
      reference: 'T-1',
      metadata: { shelf: '7', petId: 'x' },
    });
    expect(await made.send('GET', '/pets?q=gone')).toEqual([]);
    expect(await made.send('GET', '/categories?q=cats')).toHaveLength(1);
    const [found] = await made.send('GET', '/store/orders?q=lovelace');
    expect(found).toMatchObject({ petId: pet.id, quantity: 3, state: 'open', note: 'Ring twice' });
    const order = await made.send('POST', '/store/orders', { petId: pet.id, quantity: 2 });
    await made.send('PATCH', `/store/orders/${found.id}`, { complete: true });
    expect(order.id).toBeGreaterThan(found.id);
    expect(await differences()).toEqual(NONE);
    const keys: Any[] = await made.send('GET', '/keys');
    expect(keys.filter(({ revokedAt }) => revokedAt === undefined)).toHaveLength(1);
    expect(keys).toHaveLength(2);
    expect((await own.ask('/v1/workspace')).body.id).toBe(own.id);
    const workspace = await made.send('GET', '/workspace');
    expect(workspace).toMatchObject({
      id: made.id,
      name: 'Happy Paws',
      state: 'active',
      plan: 'business',
    });
    const [row, created] = (await made.send('GET', '/audit')).toReversed().slice(-2);
    expect([row.action, created.action].toSorted()).toEqual(['key.created', 'workspace.imported']);
  });

  it('goes on with the feed, and sends nothing to an address that was not verified here', async () => {
    const own = await filledShop(app);
    const archive = await exported(app, '/workspace/export', own.key);
    const { records } = recordsIn(archive);
    const made = await imported(archive);
    const [webhook] = await made.send('GET', '/webhooks');
    expect(webhook).toMatchObject({
      state: 'disabled',
      stateReason: 'unverified',
      description: 'Books',
    });
    const { secret } = await made.send('POST', `/webhooks/${webhook.id}/rotate`, {});
    expect(secret).toMatch(/^whsec_/);
    const enabled = await made.send('PATCH', `/webhooks/${webhook.id}`, { state: 'enabled' });
    expect(enabled.state).toBe('unverified');
    const events: Any[] = await made.send('GET', '/events?after=0&limit=100');
    const count = records.events!.length + records.arrivals!.length;
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
    expect(events.length).toBeGreaterThan(count);
    const [pet] = await made.send('GET', '/pets?reference=T-1');
    const about = events.find(({ type, data }) => type === 'pet.created' && data.pet.id === pet.id);
    expect(about.data.pet).toMatchObject({ categoryId: pet.categoryId, metadata: { petId: 'x' } });
    expect(about.data.inventory.petId).toBe(pet.id);
    const placed = events.find(({ type, data }) => type === 'order.placed' && data.order.reference);
    expect(placed.data.order).toMatchObject({ petId: pet.id, reference: 'R-7' });
    const [key] = await made.send('GET', `/keys?id=${placed.keyId}`);
    expect(key.revokedAt).toEqual(expect.any(String));
  });

  it('of an export beside orders adds up', async () => {
    const { key, send, pet } = await shop(app);
    const { id: petId } = await pet();
    await send('PATCH', `/inventory/${petId}`, { quantity: 100_000 });
    let isOver = false;
    const place = async () => {
      while (!isOver) await send('POST', '/store/orders', { petId });
    };
    const lanes = Array.from({ length: 8 }, place);
    const archive = await exported(app, '/workspace/export', key);
    isOver = true;
    await Promise.all(lanes);
    await imported(archive);
    expect(await differences()).toEqual(NONE);
  });
});

/** A store whose process dies after so many transactions: later ones do not happen. */
function dying(store: Datastore, transactions: number): Datastore {
  let left = transactions;
  return {
    ...store,
    read: store.read,
    snapshot: () => store.snapshot(),
    transact: (work, options) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('killed')) : store.transact(work, options);
    },
  } as Datastore;
}

const rowsOf = (id: number) =>
  app.transact(async (tx) => {
    let rows = 0;
    for (const table of erasedTables) rows += await tx.erasure.count(id, table);
    return rows;
  });

describe('an import that does not come to its end', () => {
  it('leaves a workspace without an active key, which is erased', async () => {
    const own = await filledShop(app);
    writeFileSync(file, await exported(app, '/workspace/export', own.key));
    const { store } = await openStore(app.config);
    const seal = () => 'sealed';
    const ids: number[] = [];
    for (const transactions of [1, 9, 12]) {
      const options = { file, clock: systemClock, seal };
      await expect(importWorkspace(dying(store, transactions), options)).rejects.toThrow('killed');
      const { body } = await app.call('GET', '/v1/admin/workspaces?state=closing&limit=100');
      const { id, eraseAt } = body.at(-1);
      expect(ids).not.toContain(id);
      expect(Date.parse(eraseAt) - Date.now()).toBeGreaterThan(60_000);
      expect(await rowsOf(id)).toBeGreaterThan(0);
      const active = await app.transact((tx) => tx.keys.listAll(id));
      expect(active.filter(({ revokedAt }) => revokedAt === undefined)).toEqual([]);
      ids.push(id);
    }
    app.clock.advance(11 * 60_000);
    await eraseWorkspaces(store, app.clock);
    await store.close();
    for (const id of ids) expect(await rowsOf(id)).toBe(0);
  });

  it('is erased at once if its records do not fit together', async () => {
    const own = await filledShop(app);
    const files = filesIn(await exported(app, '/workspace/export', own.key));
    const [name, text] = [...files].find(([each]) => each.startsWith('orders-'))!;
    files.set(name, text.replace(/"petId":\d+/, '"petId":999999'));
    expect(await runImport(archiveOf(files))).toBe(1);
    expect(output.stderr).toContain('its records do not fit together; there is no new workspace');
    const { body } = await app.call('GET', '/v1/admin/workspaces?state=erased&limit=100');
    await expect.poll(() => rowsOf(body.at(-1)?.id ?? 0), WAIT).toBe(0);
  });

  it('is refused if its counts do not follow from its orders', async () => {
    const own = await filledShop(app);
    const files = filesIn(await exported(app, '/workspace/export', own.key));
    const [name, text] = [...files].find(([each]) => each.startsWith('pets-'))!;
    files.set(name, text.replace('"reserved":3', '"reserved":2'));
    expect(await runImport(archiveOf(files))).toBe(1);
    expect(output.stderr).toContain('its counts, orders and ledger differ');
  });
});
