import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

describe('getPet', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
    await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
    await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  });

  it('returns exactly the fields of a pet', async () => {
    const { text, headers } = await app.call('GET', '/v1/pets/1');
    expect(text).toBe('{"id":1,"name":"Rex","categoryId":1,"status":"available"}');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('finds no pet that was deleted', async () => {
    const { body } = await app.call('POST', '/v1/pets', { body: { name: 'Max', categoryId: 1 } });
    await app.call('DELETE', `/v1/pets/${body.id}`);
    expectError(await app.call('GET', `/v1/pets/${body.id}`), 'not_found');
  });

  it('has another ETag exactly when the record has changed', async () => {
    const etag = async () => (await app.call('GET', '/v1/pets/1')).headers.get('etag');
    const first = await etag();
    expect(await etag()).toBe(first);
    await app.call('PATCH', '/v1/pets/1', { body: { status: 'pending' } });
    const second = await etag();
    expect(second).not.toBe(first);
    await app.call('PATCH', '/v1/pets/1', { body: { status: 'available' } });
    expect(await etag()).toBe(first);
    const head = await app.call('HEAD', '/v1/pets/1');
    expect(head.headers.get('etag')).toBe(first);
  });

  it('shows the status derived from its stock', async () => {
    await app.call('PATCH', '/v1/inventory/1', { body: { quantity: 0 } });
    expect((await app.call('GET', '/v1/pets/1')).body.status).toBe('sold');
    await app.call('PATCH', '/v1/inventory/1', { body: { quantity: 1 } });
    expect((await app.call('GET', '/v1/pets/1')).body.status).toBe('available');
  });

  it('never returns the neighbour of a rounded id', async () => {
    const lone = await testApp({ engine: 'sqlite' });
    await lone.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
    const db = new Database(join(lone.config.PETSTORE_DATA_DIR, 'petstore.db'));
    db.exec(`INSERT INTO pets (id, workspace_id, category_id, name, name_key, words, quantity, reserved, held, created_at, moved_at)
      VALUES (9007199254740992, 1, 1, 'Neighbour', 'neighbour', '[]', 1, 0, 0, 1, 1)`);
    db.close();
    for (const id of ['9007199254740992', '9007199254740993']) {
      expectError(await lone.call('GET', `/v1/pets/${id}`), 'not_found');
      expectError(await lone.call('DELETE', `/v1/pets/${id}`), 'not_found');
      expect((await lone.call('GET', `/v1/pets?id=${id}`)).body).toEqual([]);
    }
  });
});
