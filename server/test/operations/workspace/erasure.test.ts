import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Claim } from '../../../src/datastore/idempotency.ts';
import { tables } from '../../../src/datastore/tables.ts';
import { erasedTables } from '../../../src/datastore/tenants/erasure.ts';
import { NO_WORKSPACE } from '../../../src/domain/workspace.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { tableRows } from '../../support/table-rows.ts';
import { newWorkspace } from '../account/new-workspace.ts';
import { createWebhook } from '../webhooks/receiver-app.ts';

const PLANTED = 'Planted Name 4711';
const PETS = 600;
/** Usage and requests that are written late are deleted a minute later. */
const WAIT = { timeout: 240_000, interval: 20 };

let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    environment: { PETSTORE_SIGNUP: 'open', PETSTORE_WEBHOOK_VERIFY: 'none' },
  });
});

async function filled() {
  const own = await newWorkspace(app, { name: PLANTED, plan: 'business' });
  const { key } = own;
  const post = async (path: string, body: unknown) => {
    const answer = await app.call('POST', `/v1${path}`, { key, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const { id: categoryId } = await post('/categories', { name: PLANTED });
  const pets = Array.from({ length: PETS }, () => ({ name: PLANTED, categoryId }));
  await post('/pets/batch', { pets });
  const { id: petId } = await post('/pets', { name: PLANTED, categoryId });
  await post('/store/orders', { petId });
  await createWebhook(app, { url: 'http://127.0.0.1:9/', description: PLANTED }, key);
  await app.call('GET', '/v1/events', { key });
  return own;
}

const close = (id: number, graceDays: number) =>
  app.call('POST', `/v1/admin/workspaces/${id}/close`, { body: { name: PLANTED, graceDays } });
const rowsOf = async (id: number) => {
  const counts = await app.transact(async (tx) => {
    const found: number[] = [];
    for (const table of erasedTables) found.push(await tx.erasure.count(id, table));
    return found;
  });
  return counts.reduce((sum, count) => sum + count, 0);
};

describe('a workspace whose eraseAt has come', () => {
  it('is erased with all its rows, and no other is', async () => {
    const kept = await filled();
    const own = await filled();
    const before = await rowsOf(kept.id);
    expect(await rowsOf(own.id)).toBeGreaterThan(PETS);
    expect((await close(own.id, 0)).status).toBe(200);
    await expect.poll(() => rowsOf(own.id), WAIT).toBe(0);
    expect((await own.ask()).status).toBe(401);
    expect((await app.call('GET', `/v1/admin/workspaces/${own.id}`)).status).toBe(404);
    const { body } = await app.call('GET', '/v1/admin/workspaces?state=erased');
    expect(body).toMatchObject([{ id: own.id, state: 'erased', name: '' }]);
    expect(body[0].erasedAt).toEqual(expect.any(String));
    expect(await rowsOf(kept.id)).toBeGreaterThanOrEqual(before);
    expect((await kept.ask()).status).toBe(200);
    const trail = await app.call('GET', `/v1/admin/audit?workspaceId=${own.id}`);
    expect(trail.body).toMatchObject([
      { action: 'workspace.erased', actor: { type: 'service' }, target: 'workspace' },
    ]);
    expect(trail.text).not.toContain(PLANTED);
    const all = await tableRows(app);
    expect(all.split(PLANTED).length).toBeGreaterThan(1);
  });

  it('leaves no response behind that is stored for a sign-up or for an operator', async () => {
    const name = 'Planted Name 4712';
    const send = async (
      method: string,
      path: string,
      body: unknown,
      key: string | null = app.key,
    ) => {
      const headers = { 'idempotency-key': `m ${path} ${method}`.replaceAll(/[ /]/g, '-') };
      const answer = await app.call(method, `/v1${path}`, { headers, body, key });
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.body;
    };
    const { workspace } = await send('POST', '/signup', { name }, null);
    const made = await send('POST', '/admin/workspaces', { name });
    // More responses than one transaction looks at, of pets with the same id.
    const { id: categoryId } = await send('POST', '/categories', { name: 'Cats' });
    const metadata = { plan: 'free', limits: 'none' };
    const pet = await send('POST', '/pets', { name: 'Kept', categoryId, metadata });
    const body = JSON.stringify({ ...pet, id: made.workspace.id });
    for (const owner of [NO_WORKSPACE, 1]) {
      await app.transact(async (tx) => {
        for (let n = 0; n < 600; n++) {
          const claim = await tx.idempotency.claim(owner, `a${n}`, '', Date.now());
          await (claim as Claim).store({ status: 200, headers: {}, body });
        }
      });
    }
    for (const { id } of [workspace, made.workspace]) {
      const path = `/admin/workspaces/${id}`;
      await send('PATCH', path, { lowStockAt: 3 });
      await send('POST', `${path}/grants`, { perDay: 5, reason: 'a sale' });
      await send('POST', `${path}/suspend`, { reason: 'unpaid' });
      await send('POST', `${path}/resume`, undefined);
      await send('POST', `${path}/close`, { name, graceDays: 1 });
      await send('POST', `${path}/reopen`, undefined);
    }
    const table = tables.find((each) => each.name === 'idempotency')!;
    const stored = async () => {
      const rows = await app.transact((tx) => tx.tables.page(table, undefined, 10_000));
      return rows.map((row) => JSON.stringify(row));
    };
    const before = await stored();
    const named = before.filter((row) => row.includes(name));
    expect(named).toHaveLength(14);
    for (const { id } of [workspace, made.workspace]) {
      const path = `/admin/workspaces/${id}/close`;
      await app.call('POST', `/v1${path}`, { body: { name, graceDays: 0 } });
    }
    const isLeft = async () => (await stored()).some((row) => row.includes(name));
    await expect.poll(isLeft, WAIT).toBe(false);
    const pets = (rows: string[]) => rows.filter((row) => row.includes('Kept'));
    expect(pets(await stored())).toEqual(pets(before));
    expect(pets(before)).toHaveLength(1_201);
  });

  it('is not erased before, nor when it was reopened', async () => {
    const own = await filled();
    await close(own.id, 1);
    const rows = await rowsOf(own.id);
    await app.transact((tx) => tx.erasure.begin(own.id, Date.now()));
    for (const table of erasedTables)
      await app.transact((tx) => tx.erasure.deleteRows(own.id, table));
    // Usage and the request log are written meanwhile.
    expect(await rowsOf(own.id)).toBeGreaterThanOrEqual(rows);
    await app.call('POST', `/v1/admin/workspaces/${own.id}/reopen`);
    expect((await own.ask()).status).toBe(200);
  });
});

it('leaves no name in the file of SQLite or in its log', async () => {
  if (app.config.PETSTORE_DATABASE_URL !== undefined) return;
  const { body: left } = await app.call('GET', '/v1/admin/workspaces?state=active&limit=100');
  for (const { id, name } of left) if (name === PLANTED) await close(id, 0);
  const folder = app.config.PETSTORE_DATA_DIR;
  const isLeft = () =>
    ['petstore.db', 'petstore.db-wal'].some((file) =>
      readFileSync(`${folder}/${file}`).includes(PLANTED),
    );
  await expect.poll(isLeft, WAIT).toBe(false);
});
