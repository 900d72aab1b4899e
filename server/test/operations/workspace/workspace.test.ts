import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scopes } from '../../../src/domain/key.ts';
import { stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { count, type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(async () => {
  stopClock(app);
  own = await newWorkspace(app, { name: 'Happy Paws' });
});

function get() {
  return app.call('GET', '/v1/workspace', { key: own.key });
}

function patch(body: unknown, headers: Record<string, string> = {}) {
  return app.call('PATCH', '/v1/workspace', { key: own.key, body, headers });
}

function operatorPatch(body: unknown) {
  return app.call('PATCH', `/v1/admin/workspaces/${own.id}`, { body });
}

describe('the workspace', () => {
  it('is shown with its plan and the limits that the plan has', async () => {
    const { status, body } = await get();
    expect(status).toBe(200);
    expect(body).toEqual({
      id: own.id,
      name: 'Happy Paws',
      plan: 'free',
      limits: { perMinute: 60, perDay: 1_000 },
      createdAt: '2026-11-15T09:00:00Z',
      state: 'active',
      stateSince: '2026-11-15T09:00:00Z',
    });
  });

  it('gets a new name, trimmed, and keeps everything else', async () => {
    const before = (await get()).body;
    const renamed = await patch({ name: '  Sad Paws ' });
    expect(renamed.body).toEqual({ ...before, name: 'Sad Paws' });
    expect((await get()).body).toEqual(renamed.body);
  });

  it('does not change for an empty patch', async () => {
    const before = await get();
    const same = await patch({});
    expect([same.status, same.text]).toEqual([200, before.text]);
  });

  it.each([
    [{ name: ' ' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ plan: 'gold' }, 'plan'],
    [{ plan: null }, 'plan'],
    [{ limits: { perMinute: 1, perDay: 1 } }, 'limits'],
    [{ createdAt: '2026-01-01T00:00:00Z' }, 'createdAt'],
  ])('refuses %j and names %s', async (body, field) => {
    const before = await get();
    const refused = await patch(body);
    expect(refused.status).toBe(400);
    expect(refused.body.details[0].field).toBe(field);
    expect((await get()).text).toBe(before.text);
  });

  it('refuses a stale If-Match', async () => {
    const { headers } = await get();
    const etag = headers.get('etag')!;
    const unchanged = await app.call('GET', '/v1/workspace', {
      key: own.key,
      headers: { 'if-none-match': etag },
    });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    const renamed = await patch({ name: 'new' }, { 'if-match': etag });
    expect(renamed.status).toBe(200);
    expect(renamed.headers.get('etag')).not.toBe(etag);
    const stale = await patch({ plan: 'pro' }, { 'if-match': etag });
    expect(stale.status).toBe(412);
    expect((await get()).body).toMatchObject({ name: 'new', plan: 'free' });
  });
});

describe('a change of plan', () => {
  it('upwards takes effect on the next request and keeps the counters', async () => {
    expect(count(await own.spend(59), 200)).toBe(59);
    const changed = await patch({ plan: 'pro' });
    expect(changed.body).toMatchObject({ plan: 'pro', limits: { perMinute: 300, perDay: 10_000 } });
    expect(changed.headers.get('x-ratelimit-limit')).toBe('60');
    const { headers } = await own.ask();
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=300;w=60, "day";q=10000;w=86400');
    expect(headers.get('ratelimit')).toBe('"minute";r=239;t=60, "day";r=9939;t=54000');
    expect(count(await own.spend(240), 200)).toBe(239);
  });

  it('downwards takes effect on the next request and keeps the counters', async () => {
    await patch({ plan: 'pro' });
    await own.spend(99);
    await patch({ plan: 'free' });
    const refused = await own.ask();
    expect(refused.status).toBe(429);
    expect(refused.body.code).toBe('rate_limit_exceeded');
    expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
    expect(refused.headers.get('ratelimit')).toBe('"minute";r=0;t=60, "day";r=899;t=54000');
    app.clock.advance(60_000);
    const { headers } = await own.ask();
    expect(headers.get('ratelimit')).toBe('"minute";r=59;t=60, "day";r=898;t=53940');
  });

  it('by the operator takes effect on the next request, too', async () => {
    await own.spend(61);
    await operatorPatch({ plan: 'enterprise', limits: { perMinute: 61, perDay: 2_000 } });
    expect(await own.spend(2)).toEqual([200, 429]);
  });

  it('to Enterprise, and away from it, is made by the operator alone', async () => {
    const key = await app.addKey(scopes, own.id);
    for (const used of [own.key, key]) {
      const body = { plan: 'enterprise' };
      const refused = await app.call('PATCH', '/v1/workspace', { body, key: used });
      expect([refused.status, refused.body.code]).toEqual([403, 'plan_by_operator']);
      expect(refused.body.details).toEqual({ plans: ['free', 'pro', 'business'] });
      expect((await get()).body.plan).toBe('free');
    }
    await operatorPatch({ plan: 'enterprise', limits: { perMinute: 61, perDay: 2_000 } });
    const left = await patch({ plan: 'pro' });
    expect([left.status, left.body.code]).toEqual([403, 'plan_by_operator']);
    expect((await get()).body.plan).toBe('enterprise');
    expect((await operatorPatch({ plan: 'pro' })).body.plan).toBe('pro');
  });

  it('keeps the limits of Enterprise until the plan changes', async () => {
    const limits = { perMinute: 7_000, perDay: 70_000 };
    await operatorPatch({ plan: 'enterprise', limits });
    expect((await patch({ name: 'kept', plan: 'enterprise' })).body).toMatchObject({ limits });
    expect((await operatorPatch({ plan: 'business' })).body.limits).toEqual({
      perMinute: 1_000,
      perDay: 100_000,
    });
    expect((await patch({ plan: 'enterprise' })).status).toBe(403);
    expect((await operatorPatch({ plan: 'enterprise' })).status).toBe(400);
  });
});

describe('listPlans', () => {
  it('shows the table of the plans, cheapest first, to anyone', async () => {
    const { status, body } = await app.call('GET', '/v1/plans', { key: null });
    expect(status).toBe(200);
    expect(body).toEqual([
      { id: 'free', name: 'Free', perMinute: 60, perDay: 1_000 },
      { id: 'pro', name: 'Pro', perMinute: 300, perDay: 10_000 },
      { id: 'business', name: 'Business', perMinute: 1_000, perDay: 100_000 },
      { id: 'enterprise', name: 'Enterprise' },
    ]);
  });

  it('costs neither the workspace nor the address a request', async () => {
    for (const key of [own.key, null]) {
      const numbers = [];
      for (let i = 0; i < 3; i++) {
        const { headers } = await app.call('GET', '/v1/plans', { key });
        numbers.push(headers.get('x-ratelimit-remaining'));
      }
      expect(new Set(numbers).size).toBe(1);
    }
    expect((await own.ask()).headers.get('x-ratelimit-remaining')).toBe('59');
  });
});
