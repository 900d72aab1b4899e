import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { count, type NewWorkspace, newWorkspace } from '../operations/account/new-workspace.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { NINE, stopClock } from './still-clock.ts';

const HOUR_SECONDS = 3_600;

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(async () => {
  stopClock(app);
  const limits = { perMinute: 1, perDay: 1_000_000 };
  own = await newWorkspace(app, { plan: 'enterprise', limits });
});

/** Spends the minute and is refused until it is banned. */
async function getBanned() {
  await own.spend(31);
  const answer = await own.ask();
  expect(answer.body.code).toBe('key_banned');
  return answer;
}

describe('a refusal', () => {
  it('says how many more lead to a ban, and the 31st request that it has come', async () => {
    await own.spend(1);
    const left: number[] = [];
    for (let i = 0; i < 30; i++) {
      const { body } = await own.ask();
      expect(body.code).toBe('rate_limit_exceeded');
      left.push(body.details.refusalsBeforeBan);
    }
    expect(left).toEqual(Array.from({ length: 30 }, (_, i) => 29 - i));
    expect((await own.ask()).body.code).toBe('key_banned');
  });

  it('by the day leads to a ban as one by the minute does', async () => {
    const limits = { perMinute: 100, perDay: 1 };
    const daily = await newWorkspace(app, { plan: 'enterprise', limits });
    await daily.spend(31);
    expect((await daily.ask()).body.code).toBe('key_banned');
  });

  it('counts for 60 s, so that a slow client is never banned', async () => {
    const limits = { perMinute: 1, perDay: 1 };
    const daily = await newWorkspace(app, { plan: 'enterprise', limits });
    await daily.spend(1);
    for (let i = 0; i < 40; i++) {
      const { body } = await daily.ask();
      expect(body.code).toBe('quota_exceeded');
      expect(body.details.refusalsBeforeBan).toBe(Math.max(29 - i, 1));
      app.clock.advance(2_070);
    }
  });

  it('counts for its key and no other of the workspace', async () => {
    const second = await app.addKey(['read'], own.id);
    await own.spend(16);
    await own.spend(15, { key: second });
    expect(count(await own.spend(14), 429)).toBe(14);
    expect((await own.ask()).body).toMatchObject({ details: { refusalsBeforeBan: 0 } });
    expect((await own.ask()).body.code).toBe('key_banned');
    expect((await own.ask(undefined, { key: second })).body).toMatchObject({
      code: 'rate_limit_exceeded',
      details: { refusalsBeforeBan: 14 },
    });
  });

  it('that leads to a ban gives the true end of the ban', async () => {
    await own.spend(1);
    app.clock.advance(30_500);
    await own.spend(29);
    const last = await own.ask();
    expect(last.body).toMatchObject({
      code: 'rate_limit_exceeded',
      details: { limit: 'minute', refusalsBeforeBan: 0, until: '2026-11-15T09:01:00Z' },
    });
    expect(last.headers.get('retry-after')).toBe('60');
    app.clock.advance(59_000);
    expect((await own.ask()).status).toBe(429);
    app.clock.advance(1_000);
    expect((await own.ask()).status).toBe(200);
  });
});

describe('a ban', () => {
  it('is answered with its code, its end, its reset and nothing left', async () => {
    app.clock.advance(200);
    const { status, headers, body } = await getBanned();
    expect(status).toBe(429);
    expect(body.details).toEqual({
      limit: 'ban',
      refusalsBeforeBan: 0,
      until: '2026-11-15T09:01:00.200Z',
    });
    expect(headers.get('retry-after')).toBe('60');
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(headers.get('x-ratelimit-reset')).toBe(String(NINE / 1000 + 61));
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=1;w=60, "day";q=1000000;w=86400');
    app.clock.advance(59_000);
    expect((await own.ask()).body.code).toBe('key_banned');
    app.clock.advance(1_000);
    expect((await own.ask()).status).toBe(200);
  });

  it('is longer each time: 1 min, 5 min, 30 min, 2 h, 24 h, and 24 h again', async () => {
    const ladder = [
      60,
      300,
      1_800,
      2 * HOUR_SECONDS,
      ...[24, 24].map((hours) => hours * HOUR_SECONDS),
    ];
    for (const [step, seconds] of ladder.entries()) {
      const { headers } = await getBanned();
      expect(headers.get('retry-after')).toBe(String(seconds));
      const { body: bans } = await app.call('GET', '/v1/admin/bans?limit=100');
      const ban = bans.find(({ keyId }: { keyId: string }) => keyId === own.keyId);
      expect(ban.strikes).toBe(step + 1);
      app.clock.advance((seconds - 1) * 1000);
      const late = await own.ask();
      expect(late.body.code).toBe('key_banned');
      expect(late.headers.get('x-ratelimit-remaining')).toBe('0');
      app.clock.advance(1_000);
    }
  });

  it('starts the ladder anew a day after its end, and not before', async () => {
    await getBanned();
    app.clock.advance(60_000 + 24 * HOUR_SECONDS * 1000 - 1);
    expect((await getBanned()).headers.get('retry-after')).toBe('300');
    app.clock.advance(300_000 + 24 * HOUR_SECONDS * 1000);
    expect((await getBanned()).headers.get('retry-after')).toBe('60');
  });

  it('is not made longer by requests during it, which count as nothing', async () => {
    await getBanned();
    app.clock.advance(20_000);
    const during = await Promise.all(Array.from({ length: 50 }, () => own.ask()));
    for (const { body, headers } of during) {
      expect(body.details.until).toBe('2026-11-15T09:01:00Z');
      expect(headers.get('retry-after')).toBe('40');
    }
    app.clock.advance(40_000);
    expect((await own.ask()).status).toBe(200);
    expect((await own.ask()).body.details.refusalsBeforeBan).toBe(29);
    const { body } = await app.call('GET', '/v1/usage', { key: own.key });
    expect(body.history).toMatchObject([{ admitted: 2, refused: 31, failed: 0 }]);
  });

  it('gives the true retry time, also when the day is spent by then', async () => {
    const limits = { perMinute: 100, perDay: 1 };
    const daily = await newWorkspace(app, { plan: 'enterprise', limits });
    await daily.spend(31);
    const { body, headers } = await daily.ask();
    expect(body.details).toMatchObject({ limit: 'ban', until: '2026-11-15T09:01:00Z' });
    expect(headers.get('x-ratelimit-reset')).toBe(String(NINE / 1000 + 60));
    expect(headers.get('retry-after')).toBe('54000');
    app.clock.advance(53_999_000);
    expect((await daily.ask()).status).toBe(429);
    app.clock.advance(1_000);
    expect((await daily.ask()).status).toBe(200);
  });

  it('does not refuse the plans, nor the other keys of the workspace', async () => {
    const second = await app.addKey(['read'], own.id);
    await getBanned();
    expect((await own.ask('/v1/plans')).status).toBe(200);
    expect((await own.ask('/v1/usage', { key: second })).body.bans).toEqual([
      { keyId: own.keyId, until: '2026-11-15T09:01:00Z', strikes: 1 },
    ]);
  });
});
