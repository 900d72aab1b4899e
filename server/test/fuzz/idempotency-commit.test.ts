import Database from 'better-sqlite3';
import { beforeAll, expect, it } from 'vitest';
import { Refusal } from '../../src/domain/errors.ts';
import { Writer } from '../../src/http/writer.ts';
import { createCategory } from '../../src/operations/categories/create-category.ts';
import { ChangeLog } from '../../src/services/cluster/change-log.ts';
import { EventHub } from '../../src/services/events/event-hub.ts';
import { openStore } from '../../src/stores.ts';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
});

it('never shows a write without its stored answer', async () => {
  const db = new Database(`${app.config.PETSTORE_DATA_DIR}/petstore.db`, { readonly: true });
  const unanswered = db.prepare('SELECT count(*) FROM idempotency WHERE status = 0').pluck();
  const written = db.prepare('SELECT count(*) FROM categories').pluck();
  const seen: unknown[] = [];
  // Reads the file in every tick, as another process could.
  const watch = () => {
    seen.push(unanswered.get());
    watching = setImmediate(watch);
  };
  let watching = setImmediate(watch);
  for (let index = 0; index < 20; index += 1) {
    const { status } = await app.call('POST', '/v1/categories', {
      body: { name: `category ${index}` },
      headers: { 'idempotency-key': `key-${index}` },
    });
    expect(status).toBe(201);
  }
  clearImmediate(watching);
  expect(written.get()).toBe(20);
  db.close();
  expect(seen.length).toBeGreaterThan(20);
  expect(seen.filter((count) => count !== 0)).toEqual([]);
});

it('keeps the stored refusal and nothing of the refused write', async () => {
  const { store } = await openStore(app.config);
  const headers = { 'idempotency-key': 'half' };
  const request = { id: 'one', method: 'POST', headers, raw: {}, state: {} };
  const hub = new EventHub({ store, onFailure: () => undefined });
  const changes = new ChangeLog({ changes: store.read.changes, onFailure: () => undefined });
  const before = await store.read.categories.list(1, {}, { limit: 100, sort: 'id' });
  const write = () =>
    new Writer({
      store,
      changes,
      readCache: undefined,
      hub,
      refuseWrongClock: () => {},
      onFailure: () => {},
    }).write(request as never, {
      operation: createCategory,
      workspaceId: 1,
      keyPrefix: '',
      now: Date.now(),
      run: async (tx) => {
        await tx.categories.create(1, { name: 'half done' });
        throw new Refusal('not_found');
      },
    });
  const { response: first } = await write();
  const { response: second } = await write();
  expect([first.status, second.status]).toEqual([404, 404]);
  expect(second.headers['idempotency-replayed']).toBe('true');
  const after = await store.read.categories.list(1, {}, { limit: 100, sort: 'id' });
  expect(after).toEqual(before);
  await store.close();
});
