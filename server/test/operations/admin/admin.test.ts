import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopClock } from '../../account/still-clock.ts';
import { type Answer, type TestApp, testApp } from '../../support/app.ts';
import { newWorkspace } from '../account/new-workspace.ts';

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(() => stopClock(app));

function create(body: unknown, headers: Record<string, string> = {}) {
  return app.call('POST', '/v1/admin/workspaces', { body, headers });
}

function patch(id: number, body: unknown, headers: Record<string, string> = {}) {
  return app.call('PATCH', `/v1/admin/workspaces/${id}`, { body, headers });
}

function get(id: number) {
  return app.call('GET', `/v1/admin/workspaces/${id}`);
}

function nextOf({ headers }: Answer): string | undefined {
  return /<(\/[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
}

describe('operator scope', () => {
  it.each([
    ['GET', '/v1/admin/workspaces'],
    ['POST', '/v1/admin/workspaces'],
    ['GET', '/v1/admin/workspaces/1'],
    ['PATCH', '/v1/admin/workspaces/1'],
    ['GET', '/v1/admin/bans'],
    ['DELETE', '/v1/admin/bans/AAAAAAAAAAAA'],
  ])('is needed for %s %s, whatever else a key may do', async (method, path) => {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: { name: 'mine' } };
    const key = await app.addKey(['read', 'write', 'manage']);
    const refused = await app.call(method, path, { key, ...body });
    expect(refused.status).toBe(403);
    expect(refused.body.details).toEqual({ scope: 'operate' });
    const operator = await app.addKey(['operate']);
    expect((await app.call(method, path, { key: operator, ...body })).status).not.toBe(403);
  });
});

describe('adminCreateWorkspace', () => {
  it('creates a workspace on Free with a first key that can do everything in it', async () => {
    const created = await create({ name: ' Happy Paws ' });
    expect(created.status).toBe(201);
    const { workspace, key } = created.body;
    expect(created.headers.get('location')).toBe(`/v1/admin/workspaces/${workspace.id}`);
    expect(workspace).toEqual({
      id: workspace.id,
      name: 'Happy Paws',
      plan: 'free',
      limits: { perMinute: 60, perDay: 1_000 },
      createdAt: '2026-11-15T09:00:00Z',
      state: 'active',
      stateSince: '2026-11-15T09:00:00Z',
    });
    expect([...key.scopes].sort()).toEqual(['manage', 'read', 'write']);
    expect((await get(workspace.id)).body).toEqual(workspace);
    const own = await app.call('GET', '/v1/workspace', { key: key.key });
    expect(own.body).toEqual(workspace);
    expect((await app.call('GET', '/v1/admin/workspaces', { key: key.key })).status).toBe(403);
  });

  it('gives Enterprise the given limits', async () => {
    const limits = { perMinute: 1, perDay: 1_000_000_000 };
    const { body } = await create({ name: 'big', plan: 'enterprise', limits });
    expect(body.workspace).toMatchObject({ plan: 'enterprise', limits });
    const { headers } = await app.call('GET', '/v1/pets', { key: body.key.key });
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=1;w=60, "day";q=1000000000;w=86400');
  });

  it.each([
    [{}, 'name'],
    [{ name: 'x', plan: 'enterprise' }, 'limits'],
    [{ name: 'x', limits: { perMinute: 1, perDay: 1 } }, 'limits'],
    [{ name: 'x', plan: 'pro', limits: { perMinute: 1, perDay: 1 } }, 'limits'],
    [{ name: 'x', plan: 'enterprise', limits: { perMinute: 1 } }, 'limits.perDay'],
    [{ name: 'x', plan: 'enterprise', limits: { perMinute: 0, perDay: 1 } }, 'limits.perMinute'],
    [
      { name: 'x', plan: 'enterprise', limits: { perMinute: 1, perDay: 1_000_000_001 } },
      'limits.perDay',
    ],
    [{ name: 'x', plan: 'enterprise', limits: { perMinute: '1', perDay: 2 } }, 'limits.perMinute'],
    [
      { name: 'x', plan: 'enterprise', limits: { perMinute: 1, perDay: 1, perHour: 1 } },
      'limits.perHour',
    ],
    [{ name: 'x', key: 'psk_' }, 'key'],
  ])('refuses %j, names %s and opens nothing', async (body, field) => {
    const before = await app.call('GET', '/v1/admin/workspaces?limit=1&sort=-id');
    const refused = await create(body);
    expect(refused.status).toBe(400);
    expect(refused.body.details[0].field).toBe(field);
    const after = await app.call('GET', '/v1/admin/workspaces?limit=1&sort=-id');
    expect(after.text).toBe(before.text);
  });

  it('replays its response without the key, and creates one workspace', async () => {
    const headers = { 'idempotency-key': 'open-one' };
    const first = await create({ name: 'once' }, headers);
    const again = await create({ name: 'once' }, headers);
    const { key, ...rest } = first.body.key;
    expect(key).toMatch(/^psk_/);
    expect(again.body).toEqual({ workspace: first.body.workspace, key: rest });
  });
});

describe('adminListWorkspaces', () => {
  it('pages through all of them, each once, in both orders', async () => {
    for (let i = 0; i < 4; i++) await newWorkspace(app, { name: `store ${i}` });
    for (const sort of ['id', '-id']) {
      const seen: number[] = [];
      let path: string | undefined = `/v1/admin/workspaces?limit=2&sort=${sort}`;
      while (path) {
        const page: Answer<{ id: number }[]> = await app.call('GET', path);
        seen.push(...page.body.map(({ id }) => id));
        path = nextOf(page);
      }
      const sorted = [...new Set(seen)].sort((a, b) => (sort === 'id' ? a - b : b - a));
      expect(seen).toEqual(sorted);
      expect(seen).toContain(1);
      expect(seen.length).toBeGreaterThan(4);
    }
  });
});

describe('adminUpdateWorkspace', () => {
  it('changes the given fields and keeps the rest', async () => {
    const { id } = await newWorkspace(app, { name: 'before' });
    const limits = { perMinute: 10, perDay: 20 };
    expect((await patch(id, { name: ' after ' })).body).toMatchObject({
      name: 'after',
      plan: 'free',
    });
    expect((await patch(id, { plan: 'enterprise', limits })).body).toMatchObject({ limits });
    expect((await patch(id, { name: 'again' })).body).toMatchObject({ plan: 'enterprise', limits });
    expect((await patch(id, { limits: { perDay: 30 } })).body.limits).toEqual({
      perMinute: 10,
      perDay: 30,
    });
    const left = await patch(id, { plan: 'pro' });
    expect(left.body.limits).toEqual({ perMinute: 300, perDay: 10_000 });
    expect((await get(id)).text).toBe(left.text);
  });

  it.each([
    [{ limits: { perMinute: 1, perDay: 1 } }, 'limits'],
    [{ plan: 'enterprise' }, 'limits'],
    [{ plan: 'enterprise', limits: { perDay: 1 } }, 'limits'],
    [{ plan: 'enterprise', limits: { perMinute: 1 } }, 'limits'],
    [{ plan: 'pro', limits: { perMinute: 1, perDay: 1 } }, 'limits'],
    [{ plan: 'enterprise', limits: { perMinute: 0, perDay: 1 } }, 'limits.perMinute'],
    [{ plan: 'enterprise', limits: { perMinute: 1, perDay: 1, perHour: 1 } }, 'limits.perHour'],
    [{ plan: 'enterprise', limits: null }, 'limits'],
    [{ name: '' }, 'name'],
  ])('refuses %j, names %s and changes nothing', async (body, field) => {
    const { id } = await newWorkspace(app);
    const before = await get(id);
    const refused = await patch(id, body);
    expect(refused.status).toBe(400);
    expect(refused.body.details[0].field).toBe(field);
    expect((await get(id)).text).toBe(before.text);
  });

  it('refuses a stale If-Match', async () => {
    const { id } = await newWorkspace(app);
    const etag = (await get(id)).headers.get('etag')!;
    expect((await patch(id, { plan: 'pro' }, { 'if-match': etag })).status).toBe(200);
    expect((await patch(id, { plan: 'business' }, { 'if-match': etag })).status).toBe(412);
    expect((await get(id)).body.plan).toBe('pro');
  });

  it('finds no absent workspace', async () => {
    expect((await get(999_999)).status).toBe(404);
    expect((await patch(999_999, { name: 'x' })).status).toBe(404);
    expect((await get('01' as never)).status).toBe(400);
  });
});
