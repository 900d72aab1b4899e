import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { count, newWorkspace } from '../operations/account/new-workspace.ts';
import { type Answer, type TestApp, testApp } from '../support/app.ts';
import { NINE, stopClock } from './still-clock.ts';

const MIDNIGHT = Date.parse('2026-11-16T00:00:00Z');
const PLENTY = 1_000_000;

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(() => stopClock(app));

function enterprise(perMinute: number, perDay: number) {
  return newWorkspace(app, { plan: 'enterprise', limits: { perMinute, perDay } });
}

/** Limit, remaining and reset, the latter in seconds from nine. */
function trioOf({ headers }: Answer): number[] {
  const number = (name: string) => Number(headers.get(`x-ratelimit-${name}`));
  return [number('limit'), number('remaining'), number('reset') - NINE / 1000];
}

describe('the quota', () => {
  it('of Free admits exactly 60 of 100 requests that come at once', async () => {
    const own = await newWorkspace(app);
    const answers = await Promise.all(Array.from({ length: 100 }, () => own.ask()));
    const admitted = answers.filter(({ status }) => status === 200);
    expect(admitted.length).toBe(60);
    expect(
      count(
        answers.map(({ status }) => status),
        429,
      ),
    ).toBe(40);
    const left = admitted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
  });

  it('is one for all keys of a workspace, and another for every workspace', async () => {
    const own = await newWorkspace(app);
    const second = await app.addKey(['read'], own.id);
    const statuses = await Promise.all(
      Array.from(
        { length: 80 },
        async (_, i) => (await own.ask(undefined, i % 2 ? { key: second } : {})).status,
      ),
    );
    expect(count(statuses, 200)).toBe(60);
    const neighbour = await newWorkspace(app);
    expect(trioOf(await neighbour.ask())).toEqual([60, 59, 60]);
  });

  it('is spent by every admitted request, whatever becomes of it, and by HEAD', async () => {
    const own = await newWorkspace(app);
    const key = await app.addKey(['write'], own.id);
    const answers = [
      await own.ask('/v1/categories', { method: 'HEAD' }),
      await own.ask('/v1/categories?colour=red'),
      await own.ask('/v1/categories', { key }),
      await own.ask('/v1/pets/77'),
      await own.ask('/v1/nowhere'),
      await own.ask('/v1/pets', { method: 'PUT' }),
      await app.call('POST', '/v1/pets', { key: own.key, body: `"${'x'.repeat(300_000)}"` }),
      await app.call('POST', '/v1/pets', { key: own.key, body: '{' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 403, 404, 404, 405, 413, 400]);
    const left = answers.map((answer) => trioOf(answer)[1]);
    expect(left).toEqual([59, 58, 57, 56, 55, 54, 53, 52]);
  });

  it('is not spent by a request that is refused', async () => {
    const own = await enterprise(2, 4);
    expect(await own.spend(7)).toEqual([200, 200, 429, 429, 429, 429, 429]);
    app.clock.advance(60_000);
    expect(await own.spend(3)).toEqual([200, 200, 429]);
    app.clock.advance(60_000);
    expect((await own.ask()).body.code).toBe('quota_exceeded');
  });
});

describe('the minute', () => {
  it('lasts 60 s from the first counted request, not from the clock’s minute', async () => {
    const own = await enterprise(2, PLENTY);
    app.clock.advance(41_250);
    expect(trioOf(await own.ask())).toEqual([2, 1, 102]);
    app.clock.advance(30_000);
    expect(await own.spend(2)).toEqual([200, 429]);
    app.clock.advance(29_999);
    expect(await own.spend(1)).toEqual([429]);
    app.clock.advance(1);
    expect(trioOf(await own.ask())).toEqual([2, 1, 162]);
  });

  it('begins anew with the first request after it, not where the last one ended', async () => {
    const own = await enterprise(2, PLENTY);
    await own.spend(2);
    app.clock.advance(90_000);
    expect(trioOf(await own.ask())).toEqual([2, 1, 150]);
  });
});

describe('the day', () => {
  it('is the UTC calendar day', async () => {
    const own = await enterprise(PLENTY, 2);
    expect(trioOf(await own.ask())).toEqual([2, 1, (MIDNIGHT - NINE) / 1000]);
    app.clock.advance(MIDNIGHT - NINE - 1);
    expect(await own.spend(2)).toEqual([200, 429]);
    app.clock.advance(1);
    expect(trioOf(await own.ask())).toEqual([2, 1, (MIDNIGHT - NINE) / 1000 + 86_400]);
    expect(await own.spend(2)).toEqual([200, 429]);
  });

  it('is asked before the minute, since it lasts longer', async () => {
    const own = await enterprise(1, 1);
    await own.spend(1);
    const refused = await own.ask();
    expect(refused.body.code).toBe('quota_exceeded');
    expect(refused.body.details.limit).toBe('day');
  });
});

describe('Retry-After', () => {
  it.each([0, 1, 12_345, 29_999, 59_000, 59_001, 59_999])(
    'is true when the minute refuses %i ms after it began',
    async (sinceMs) => {
      const own = await enterprise(1, PLENTY);
      await own.spend(1);
      app.clock.advance(sinceMs);
      const refused = await own.ask();
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBe(Math.max(1, Math.ceil((60_000 - sinceMs) / 1000)));
      app.clock.advance((seconds - 1) * 1000);
      expect((await own.ask()).status).toBe(429);
      app.clock.advance(1000);
      expect((await own.ask()).status).toBe(200);
    },
  );

  it.each([0, 500, 53_999_001])(
    'is true when the day refuses %i ms after nine',
    async (sinceMs) => {
      const own = await enterprise(PLENTY, 1);
      await own.spend(1);
      app.clock.advance(sinceMs);
      const refused = await own.ask();
      expect(refused.body.details).toEqual({
        limit: 'day',
        refusalsBeforeBan: 29,
        until: '2026-11-16T00:00:00Z',
      });
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBe(Math.ceil((54_000_000 - sinceMs) / 1000));
      app.clock.advance((seconds - 1) * 1000);
      expect((await own.ask()).status).toBe(429);
      app.clock.advance(1000);
      expect((await own.ask()).status).toBe(200);
    },
  );

  it('is true when both windows are in the way: the minute outlasts the day', async () => {
    const own = await enterprise(1, 1);
    app.clock.advance(MIDNIGHT - NINE - 10_000);
    await own.spend(1);
    const refused = await own.ask();
    expect(refused.body.code).toBe('quota_exceeded');
    expect(refused.headers.get('retry-after')).toBe('60');
    app.clock.advance(59_000);
    expect((await own.ask()).body.code).toBe('rate_limit_exceeded');
    app.clock.advance(1_000);
    expect((await own.ask()).status).toBe(200);
  });
});
