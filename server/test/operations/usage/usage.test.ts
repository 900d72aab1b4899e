import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { count, type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';

const DAY_MS = 86_400_000;

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(async () => {
  stopClock(app);
  own = await newWorkspace(app);
});

async function usage(key = own.key) {
  const { status, body } = await app.call('GET', '/v1/usage', { key });
  expect(status).toBe(200);
  return body;
}

describe('the history', () => {
  it('tells by day, key and operation what was admitted, refused and failed', async () => {
    const limits = { perMinute: 7, perDay: 100 };
    own = await newWorkspace(app, { plan: 'enterprise', limits });
    const second = await app.addKey(['read'], own.id);
    const secondId = second.slice(4, 16);
    await own.spend(2);
    await own.ask('/v1/categories', { method: 'HEAD' });
    await own.ask('/v1/pets/77');
    await own.ask('/v1/nowhere');
    await own.ask('/v1/categories', { key: second });
    await own.ask('/v1/keys', { key: second, method: 'POST' });
    await own.ask('/v1/pets/77', { key: second });
    app.clock.advance(DAY_MS);
    await own.ask('/v1/pets?colour=red');

    const none = { admitted: 0, refused: 0, failed: 0 };
    const today = { date: '2026-11-15', keyId: own.keyId, ...none };
    const ofSecond = { date: '2026-11-15', keyId: secondId, ...none };
    const expected = [
      { ...today, operationId: 'getPet', admitted: 1, failed: 1 },
      { ...today, operationId: 'listCategories', admitted: 3 },
      { ...today, operationId: 'unknown', admitted: 1, failed: 1 },
      { ...ofSecond, operationId: 'createKey', admitted: 1, failed: 1 },
      { ...ofSecond, operationId: 'getPet', refused: 1 },
      { ...ofSecond, operationId: 'listCategories', admitted: 1 },
    ];
    const byKey = own.keyId < secondId ? expected : [...expected.slice(3), ...expected.slice(0, 3)];
    const tomorrow = { ...today, date: '2026-11-16', operationId: 'listPets' };
    const { history } = await usage();
    expect(history).toEqual([...byKey, { ...tomorrow, admitted: 1, failed: 1 }]);
  });

  it('reaches back 30 days, today included, also over what is thrown away', async () => {
    await own.spend(1);
    app.clock.advance(29 * DAY_MS);
    expect((await usage()).history).toMatchObject([{ date: '2026-11-15', admitted: 1 }]);
    await own.spend(2);
    app.clock.advance(DAY_MS);
    expect((await usage()).history).toMatchObject([{ date: '2026-12-14', admitted: 2 }]);
  });

  it('is as long as asked for, and the deprecated calls are those of 30 days', async () => {
    await own.ask('/v1/pets/77');
    app.clock.advance(DAY_MS);
    await own.spend(2);
    const { body } = await app.call('GET', '/v1/usage?days=1', { key: own.key });
    expect(body.history).toMatchObject([{ date: '2026-11-16', admitted: 2 }]);
    expect(body.deprecated).toMatchObject([{ operationId: 'getPet', calls: 1 }]);
    const two = await app.call('GET', '/v1/usage?days=2', { key: own.key });
    expect(two.body.history).toHaveLength(2);
    for (const days of [0, 31, 'two']) {
      const refused = await app.call('GET', `/v1/usage?days=${days}`, { key: own.key });
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    }
  });

  it('has the newest entries of very many, and says from which day on', async () => {
    const today = Math.floor(app.clock.now() / DAY_MS);
    const counts = { operationId: 'getPet', admitted: 1, refused: 0, failed: 0, lastAt: 0 };
    await app.transact(async (tx) => {
      for (let n = 0; n < 5_050; n++) {
        const keyId = `key ${100_000 + n}`;
        await tx.usage.addDay(own.id, { ...counts, day: n < 100 ? today - 1 : today, keyId });
      }
    });
    const { history, historyCutAt } = await usage();
    expect(history).toHaveLength(5_000);
    expect(history[0]).toMatchObject({ date: '2026-11-14', keyId: 'key 100050' });
    expect(historyCutAt).toBe('2026-11-14');
    const { body } = await app.call('GET', '/v1/usage?days=1', { key: own.key });
    expect(body.history).toHaveLength(4_950);
    expect(body).not.toHaveProperty('historyCutAt');
  });

  it('tells nothing of another workspace', async () => {
    const neighbour = await newWorkspace(app);
    await neighbour.ask('/v1/pets/77');
    expect(await usage()).toMatchObject({ history: [], deprecated: [], bans: [] });
  });

  it('loses nothing when the service is stopped and started again', async () => {
    await own.spend(5);
    await app.restart();
    expect((await usage()).history).toMatchObject([{ operationId: 'listCategories', admitted: 5 }]);
    await own.spend(5);
    expect((await usage()).history).toMatchObject([{ admitted: 10 }]);
  });
});

describe('deprecated operations', () => {
  it('are listed by key, with the last call, the sunset and the successor', async () => {
    const limits = { perMinute: 3, perDay: 100 };
    own = await newWorkspace(app, { plan: 'enterprise', limits });
    const second = await app.addKey(['read'], own.id);
    await own.ask('/v1/pets/77');
    app.clock.advance(1_000);
    await own.ask('/v1/pets/78');
    app.clock.advance(1_000);
    await own.ask('/v1/pets/78', { key: second });
    await usage();
    app.clock.advance(1_000);
    expect((await own.ask('/v1/pets/78')).status).toBe(429);
    app.clock.advance(DAY_MS);
    await own.spend(1);

    const operationId = 'getPet';
    const sunset = '2030-12-05';
    const successor = 'GET /pets?id={petId}';
    const { deprecated } = await usage();
    const byKey = Object.fromEntries(
      deprecated.map(({ keyId, ...use }: { keyId: string }) => [keyId, use]),
    );
    expect(byKey).toEqual({
      [own.keyId]: {
        operationId,
        calls: 2,
        lastCalledAt: '2026-11-15T09:00:01Z',
        sunset,
        successor,
      },
      [second.slice(4, 16)]: {
        operationId,
        calls: 1,
        lastCalledAt: '2026-11-15T09:00:02Z',
        sunset,
        successor,
      },
    });
  });
});

describe('the windows', () => {
  it('are shown as they are, and the request is not counted', async () => {
    await own.spend(3);
    app.clock.advance(10_000);
    for (let i = 0; i < 3; i++) {
      expect((await usage()).windows).toEqual([
        { name: 'minute', limit: 60, remaining: 57, resetAt: '2026-11-15T09:01:00Z' },
        { name: 'day', limit: 1_000, remaining: 997, resetAt: '2026-11-16T00:00:00Z' },
      ]);
      await own.ask('/v1/usage/advice');
    }
    const { headers } = await own.ask('/v1/usage');
    expect(headers.get('ratelimit')).toBe('"minute";r=57;t=50, "day";r=997;t=53990');
    expect((await usage()).history).toMatchObject([{ operationId: 'listCategories', admitted: 3 }]);
  });
});

describe('GET /usage and its advice', () => {
  it.each(['/v1/usage', '/v1/usage/advice'])(
    '%s is served when the quota is spent',
    async (path) => {
      for (const limits of [
        { perMinute: 1, perDay: 9 },
        { perMinute: 9, perDay: 1 },
      ]) {
        own = await newWorkspace(app, { plan: 'enterprise', limits });
        await own.spend(2);
        const answer = await own.ask(path);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
      }
    },
  );

  it('are refused during a ban', async () => {
    const limits = { perMinute: 1, perDay: 100 };
    own = await newWorkspace(app, { plan: 'enterprise', limits });
    await own.spend(31);
    for (const path of ['/v1/usage', '/v1/usage/advice']) {
      const refused = await own.ask(path);
      expect(refused.status).toBe(429);
      expect(refused.body.code).toBe('key_banned');
      expect(refused.headers.get('retry-after')).toBe('60');
    }
  });

  it('have a cap of their own: 60 a minute for each key, which leads to no ban', async () => {
    const second = await app.addKey(['read'], own.id);
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) {
      statuses.push((await own.ask(i % 2 ? '/v1/usage' : '/v1/usage/advice')).status);
    }
    expect([count(statuses, 200), statuses[60]]).toEqual([60, 429]);
    app.clock.advance(15_500);
    for (let i = 0; i < 40; i++) {
      const refused = await own.ask('/v1/usage');
      expect(refused.body).toMatchObject({
        code: 'rate_limit_exceeded',
        details: { limit: 'minute', until: '2026-11-15T09:01:00Z' },
      });
      expect(refused.body.details).not.toHaveProperty('refusalsBeforeBan');
      expect(refused.headers.get('retry-after')).toBe('45');
      expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    }
    expect((await own.ask('/v1/usage', { key: second })).status).toBe(200);
    const admitted = await own.ask();
    expect(admitted.headers.get('ratelimit')).toBe('"minute";r=59;t=60, "day";r=999;t=53985');
    app.clock.advance(44_000);
    expect((await own.ask('/v1/usage')).status).toBe(429);
    app.clock.advance(1_000);
    expect((await own.ask('/v1/usage')).status).toBe(200);
  });
});
