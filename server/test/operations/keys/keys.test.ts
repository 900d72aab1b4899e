import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/lib/api-key.ts';
import { NINE, stopClock } from '../../account/still-clock.ts';
import { type Answer, type TestApp, testApp } from '../../support/app.ts';
import { type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';

const KEY = /^psk_[0-9A-Za-z]{50}$/;

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(async () => {
  stopClock(app);
  own = await newWorkspace(app, { plan: 'business' });
});

function create(body: unknown, key = own.key) {
  return app.call('POST', '/v1/keys', { key, body });
}

async function listed(id: string) {
  const { body } = await app.call('GET', '/v1/keys?limit=100', { key: own.key });
  return body.find((key: { id: string }) => key.id === id);
}

describe('createKey', () => {
  it('shows the whole key once, and afterwards only its name and hint', async () => {
    const created = await create({ name: ' web shop ', scopes: ['write', 'read'] });
    expect(created.status).toBe(201);
    const { key, ...rest } = created.body;
    expect(key).toMatch(KEY);
    expect(rest).toEqual({
      id: key.slice(4, 16),
      name: 'web shop',
      hint: key.slice(0, 12),
      scopes: ['write', 'read'],
      createdAt: '2026-11-15T09:00:00Z',
    });
    expect(await listed(rest.id)).toEqual(rest);
    const { text } = await app.call('GET', '/v1/keys', { key: own.key });
    expect(text).not.toContain(key.slice(16));
    expect(text).not.toContain(digestOf(key));
  });

  it('creates a key that works at once, with its scopes and no others', async () => {
    const { body } = await create({ name: 'reader', scopes: ['read'] });
    const read = await app.call('GET', '/v1/categories', { key: body.key });
    expect(read.status).toBe(200);
    const write = await app.call('POST', '/v1/categories', { key: body.key, body: { name: 'Ox' } });
    expect(write.status).toBe(403);
  });

  it('never grants a scope that its maker lacks, and makes nothing', async () => {
    const manager = (await create({ name: 'manager', scopes: ['manage', 'read'] })).body.key;
    const before = await app.call('GET', '/v1/keys', { key: own.key });
    for (const [scopes, lacking] of [
      [['write'], ['write']],
      [
        ['read', 'operate', 'write'],
        ['operate', 'write'],
      ],
    ]) {
      const refused = await create({ name: 'more', scopes }, manager);
      expect(refused.status).toBe(403);
      expect(refused.body.code).toBe('insufficient_scope');
      expect(refused.body.details.lacking).toEqual(lacking);
    }
    const after = await app.call('GET', '/v1/keys', { key: own.key });
    expect(after.body.length).toBe(before.body.length);
    expect((await create({ name: 'same', scopes: ['manage', 'read'] }, manager)).status).toBe(201);
  });

  it('refuses an expiry in the past, and expires a key to the millisecond', async () => {
    for (const expiresAt of [
      '2026-11-15T08:59:59.999Z',
      '2026-11-15T09:00:00Z',
      'tomorrow',
      null,
    ]) {
      const refused = await create({ name: 'late', scopes: ['read'], expiresAt });
      expect(refused.status).toBe(400);
      expect(refused.body.details[0].field).toBe('expiresAt');
    }
    const expiresAt = '2026-11-15T11:00:00.500+01:00';
    const { body } = await create({ name: 'short', scopes: ['read'], expiresAt });
    expect(body.expiresAt).toBe('2026-11-15T10:00:00.500Z');
    app.clock.advance(3_600_499);
    expect((await own.ask(undefined, { key: body.key })).status).toBe(200);
    app.clock.advance(1);
    const expired = await own.ask(undefined, { key: body.key });
    expect(expired.status).toBe(401);
    expect(expired.body.code).toBe('expired_api_key');
    expect(expired.headers.get('www-authenticate')).toBe('Bearer realm="petstore"');
  });

  it.each([
    [{ scopes: ['read'] }, 'name'],
    [{ name: 'x' }, 'scopes'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['read', 'read'] }, 'scopes'],
    [{ name: 'x', scopes: ['admin'] }, 'scopes.0'],
    [{ name: 'x', scopes: ['read'], hint: 'psk_' }, 'hint'],
    [{ name: 'x', scopes: ['read'], key: 'psk_' }, 'key'],
  ])('refuses %j and names %s', async (body, field) => {
    const refused = await create(body);
    expect(refused.status).toBe(400);
    expect(refused.body.details[0].field).toBe(field);
  });
});

describe('listKeys', () => {
  it('pages through the keys of the workspace, each once, in both orders', async () => {
    const ids = new Set([own.keyId]);
    for (let i = 0; i < 6; i++)
      ids.add((await create({ name: `k${i}`, scopes: ['read'] })).body.id);
    for (const sort of ['id', '-id']) {
      const seen: string[] = [];
      let path: string | undefined = `/v1/keys?limit=3&sort=${sort}`;
      while (path) {
        const page: Answer<{ id: string }[]> = await app.call('GET', path, { key: own.key });
        expect(page.body.length).toBeLessThanOrEqual(3);
        seen.push(...page.body.map(({ id }) => id));
        const link = page.headers.get('link') ?? '';
        path = /<(\/[^>]*)>; rel="next"/.exec(link)?.[1];
      }
      const sorted = [...ids].sort();
      expect(seen).toEqual(sort === 'id' ? sorted : sorted.reverse());
    }
  });

  it('shows revoked keys, and nothing of another workspace', async () => {
    const { id } = (await create({ name: 'gone', scopes: ['read'] })).body;
    app.clock.advance(5_000);
    await app.call('DELETE', `/v1/keys/${id}`, { key: own.key });
    expect((await listed(id)).revokedAt).toBe('2026-11-15T09:00:05Z');
    const other = await newWorkspace(app);
    const { body } = await app.call('GET', '/v1/keys', { key: other.key });
    expect(body.map((key: { id: string }) => key.id)).toEqual([other.keyId]);
  });

  it('shows when a key was last used, written with the usage and not per request', async () => {
    const { id, key } = (await create({ name: 'used', scopes: ['read'] })).body;
    expect(await listed(id)).not.toHaveProperty('lastUsedAt');
    app.clock.advance(1_000);
    await own.ask(undefined, { key });
    app.clock.advance(1_500);
    await own.ask(undefined, { key });
    await app.call('GET', '/v1/usage', { key: own.key });
    expect((await listed(id)).lastUsedAt).toBe(new Date(NINE + 2_500).toISOString());
  });
});
