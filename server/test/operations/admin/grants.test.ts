import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/domain/durations.ts';
import { formatInstant } from '../../../src/lib/instant.ts';
import { stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectDocumented, expectError } from '../../support/contract.ts';
import { type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';

let app: TestApp;
let own: NewWorkspace;
let midnight: number;

beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_BAN_AFTER: '100' } });
});
beforeEach(async () => {
  const now = app.clock.now();
  midnight = now - (now % DAY_MS) + 2 * DAY_MS;
  stopClock(app, midnight - 3_600_000);
  const limits = { perMinute: 1_000, perDay: 3 };
  own = await newWorkspace(app, { plan: 'enterprise', limits });
});

const grant = (perDay: number, reason = 'a sale') =>
  app.call('POST', `/v1/admin/workspaces/${own.id}/grants`, { body: { perDay, reason } });

describe('adminAddGrant', () => {
  it('adds requests to this UTC day, and the next day has none of them', async () => {
    expect(await own.spend(4)).toEqual([200, 200, 200, 429]);
    const granted = await grant(2);
    expect(granted.status).toBe(200);
    expectDocumented('adminAddGrant', granted);
    expect(granted.body.grant).toEqual({ perDay: 2, endsAt: formatInstant(midnight) });
    expect(granted.body.limits.perDay).toBe(3);
    expect(await own.spend(3)).toEqual([200, 200, 429]);
    app.clock.advance(3_600_000);
    expect(await own.spend(4)).toEqual([200, 200, 200, 429]);
    expect((await app.call('GET', `/v1/admin/workspaces/${own.id}`)).body).not.toHaveProperty(
      'grant',
    );
  });

  it('is shown wherever the quota of the day is', async () => {
    await grant(2);
    const { headers, body } = await own.ask('/v1/workspace');
    expect(body.grant).toEqual({ perDay: 2, endsAt: formatInstant(midnight) });
    expect(headers.get('ratelimit-policy')).toContain('"day";q=5;w=86400');
    expect(headers.get('ratelimit')).toContain('"day";r=4;t=3600');
    const usage = await own.ask('/v1/usage');
    expect(usage.body.windows[1]).toMatchObject({ name: 'day', limit: 5, remaining: 4 });
    await own.spend(4);
    const { status, body: refused } = await own.ask();
    expect(status).toBe(429);
    expect(refused.message).toContain('allows 5 requests a day');
  });

  it('adds to what was added to the same day, and lets no sum pass the bound', async () => {
    await grant(2);
    expect((await grant(3)).body.grant.perDay).toBe(5);
    expectError(await grant(1_000_000_000), 'invalid_request');
    expect((await own.ask('/v1/workspace')).body.grant.perDay).toBe(5);
    app.clock.advance(3_600_000);
    expect((await grant(1)).body.grant).toEqual({
      perDay: 1,
      endsAt: formatInstant(midnight + DAY_MS),
    });
  });

  it('stays when the plan or the state changes', async () => {
    await grant(2);
    const patch = { plan: 'free' };
    await app.call('PATCH', `/v1/admin/workspaces/${own.id}`, { body: patch });
    const { headers, body } = await own.ask('/v1/workspace');
    expect(body.grant.perDay).toBe(2);
    expect(headers.get('ratelimit-policy')).toContain('"day";q=1002;w=86400');
  });

  it('tells the owner that an operator did it, why, and nothing else', async () => {
    await grant(7, 'a sale');
    const { body } = await app.call('GET', '/v1/audit?action=grant.added', { key: own.key });
    expect(body).toMatchObject([
      {
        action: 'grant.added',
        actor: { type: 'operator' },
        target: 'workspace',
        after: { perDay: 7, reason: 'a sale', until: formatInstant(midnight) },
      },
    ]);
    expect(Object.keys(body[0].actor)).toEqual(['type']);
  });

  it.each([
    [{ perDay: 0, reason: 'x' }],
    [{ perDay: 1 }],
    [{ perDay: 1.5, reason: 'x' }],
    [{ perDay: 1, reason: '' }],
    [{ perDay: 1, reason: 'x', perMinute: 1 }],
  ])('refuses %j and adds nothing', async (body) => {
    const path = `/v1/admin/workspaces/${own.id}/grants`;
    expectError(await app.call('POST', path, { body }), 'invalid_request');
    expect((await own.ask('/v1/workspace')).body).not.toHaveProperty('grant');
  });

  it('is the right of operators alone, and finds no absent workspace', async () => {
    const path = `/v1/admin/workspaces/${own.id}/grants`;
    const body = { perDay: 1, reason: 'x' };
    expect((await app.call('POST', path, { body, key: own.key })).status).toBe(403);
    const absent = '/v1/admin/workspaces/999999/grants';
    expect((await app.call('POST', absent, { body })).status).toBe(404);
  });
});
