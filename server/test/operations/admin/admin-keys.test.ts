import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type TestApp, testApp } from '../../support/app.ts';
import { expectDocumented, expectError } from '../../support/contract.ts';
import { type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(async () => {
  own = await newWorkspace(app);
});

const revoke = (keyId: string, options = {}) =>
  app.call('DELETE', `/v1/admin/keys/${keyId}`, options);
const find = (id: string) => app.call('GET', `/v1/admin/keys?id=${id}`);
const idOf = (key: string) => key.slice(4, 16);

describe('adminListKeys', () => {
  it('names the workspace of a key, by its id, its first 8 characters and its hint', async () => {
    for (const text of [own.keyId, own.keyId.slice(0, 8), own.key.slice(0, 12)]) {
      const found = await find(text);
      expectDocumented('adminListKeys', found);
      expect(found.body).toMatchObject([{ id: own.keyId, workspaceId: own.id }]);
      expect(found.text).not.toContain(own.key);
    }
  });

  it('finds none that begins otherwise', async () => {
    expect((await find('zzzzzzzzzzzz')).body).toEqual([]);
    expect((await find(own.keyId.slice(1))).body).toEqual([]);
    expect((await find(`${own.keyId}0`)).body).toEqual([]);
    expectError(await find(''), 'invalid_request');
  });

  it('lists the keys of all workspaces, one page at a time', async () => {
    const seen: string[] = [];
    for (let path: string | undefined = '/v1/admin/keys?limit=2'; path; ) {
      const page: Answer<{ id: string }[]> = await app.call('GET', path);
      seen.push(...page.body.map(({ id }) => id));
      path = /<(\/[^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual([...new Set(seen)].sort());
    expect(seen).toContain(own.keyId);
    expect(seen).toContain(idOf(app.key));
  });
});

describe('adminRevokeKey', () => {
  it('revokes the last key with manage, and its sessions', async () => {
    const session = await app.call('POST', '/v1/session', { key: own.key });
    const [cookie] = session.headers.get('set-cookie')!.split(';') as [string];
    expectError(
      await app.call('DELETE', `/v1/keys/${own.keyId}`, { key: own.key }),
      'last_manage_key',
    );
    expect((await revoke(own.keyId)).status).toBe(204);
    expect((await own.ask()).status).toBe(401);
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    expect((await app.call('GET', '/v1/session', { key: null, headers })).status).toBe(401);
    expectError(await revoke(own.keyId), 'not_found');
  });

  it('tells the owner that an operator did it', async () => {
    const other = await app.call('POST', '/v1/keys', {
      key: own.key,
      body: { name: 'till', scopes: ['read'] },
    });
    await revoke(other.body.id);
    const { body } = await app.call('GET', '/v1/audit?action=key.revoked', { key: own.key });
    expect(body).toMatchObject([{ target: `key:${other.body.id}` }]);
    expect(body[0].actor).toEqual({ type: 'operator' });
    const events = await app.call('GET', '/v1/events?type=key.revoked', { key: own.key });
    expect(events.body.at(-1).data.key.id).toBe(other.body.id);
    expect(events.body.at(-1)).not.toHaveProperty('keyId');
  });

  it('keeps the last key with operate that does not expire', async () => {
    expectError(await revoke(idOf(app.key)), 'last_operate_key');
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const create = (body: object) => app.call('POST', '/v1/keys', { body });
    await create({ name: 'for a day', scopes: ['operate'], expiresAt });
    expectError(await revoke(idOf(app.key)), 'last_operate_key');
    const second = await create({ name: 'second', scopes: ['operate'] });
    expect((await revoke(second.body.id)).status).toBe(204);
    expectError(await revoke(idOf(app.key)), 'last_operate_key');
  });

  it('keeps it also from the workspace of the operator', async () => {
    const manager = await app.call('POST', '/v1/keys', {
      body: { name: 'manager', scopes: ['manage'] },
    });
    const options = { key: manager.body.key };
    const refused = await app.call('DELETE', `/v1/keys/${idOf(app.key)}`, options);
    expectError(refused, 'last_operate_key');
    expectDocumented('revokeKey', refused);
    expect((await app.call('GET', '/v1/admin/bans')).status).toBe(200);
  });

  it('of two operators that revoke each other at once, one stays', async () => {
    const { body } = await app.call('POST', '/v1/keys', {
      body: { name: 'second', scopes: ['manage', 'operate'] },
    });
    const answers = await Promise.all([
      revoke(body.id),
      revoke(body.id, { key: body.key }),
      revoke(idOf(app.key), { key: body.key }),
      app.call('DELETE', `/v1/keys/${idOf(app.key)}`, { key: body.key }),
    ]);
    const left = await app.call('GET', '/v1/admin/bans');
    const leftSecond = await app.call('GET', '/v1/admin/bans', { key: body.key });
    expect([left.status, leftSecond.status]).toContain(200);
    for (const { status } of answers) expect([204, 401, 404, 409]).toContain(status);
  });

  it('is the right of operators alone, and finds no absent key', async () => {
    const other = await newWorkspace(app);
    expect((await revoke(own.keyId, { key: other.key })).status).toBe(403);
    expect((await own.ask()).status).toBe(200);
  });
});
