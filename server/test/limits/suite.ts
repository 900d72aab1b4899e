// The tests that every limiter passes.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/domain/key.ts';
import type { Limits } from '../../src/domain/plan.ts';
import type { Limiter, Verdict } from '../../src/limits/limiter.ts';
import type { VirtualClock } from './history.ts';
import type { LimitDatabase } from './limit-database.ts';

export interface LimiterUnderTest {
  limiter: Limiter;
  clock: VirtualClock;
  db: LimitDatabase;
  failures: readonly unknown[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const free: Limits = { perMinute: 60, perDay: 1_000 };

export function limiterSuite(
  name: string,
  nextWorkspace: () => number,
  open: () => Promise<LimiterUnderTest>,
): void {
  describe(name, () => {
    let limiter: Limiter;
    let clock: VirtualClock;
    let db: LimitDatabase;
    let failures: readonly unknown[];

    beforeAll(async () => {
      ({ limiter, clock, db, failures } = await open());
    });
    afterAll(async () => {
      await limiter.close();
      expect(failures).toEqual([]);
    });

    const newCaller = (limits: Limits = free): Caller => {
      const workspaceId = nextWorkspace();
      return { keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits };
    };
    const otherKey = (caller: Caller): Caller => ({ ...caller, keyId: `${caller.workspaceId}.b` });
    const send = async (caller: Caller, times: number, cost = 1) => {
      const verdicts = await Promise.all(
        Array.from({ length: times }, () => limiter.admit(caller, cost)),
      );
      return verdicts.filter(({ refusal }) => !refusal).length;
    };
    const refusalOf = async (caller: Caller, cost = 1) => {
      const { refusal } = await limiter.admit(caller, cost);
      if (!refusal) throw new Error('the request was admitted');
      return refusal;
    };
    const ban = async (caller: Caller) => {
      let last = await refusalOf(caller);
      while (last.refusalsBeforeBan > 0) last = await refusalOf(caller);
      return last;
    };
    const startOfDay = () => {
      clock.at = (Math.floor(clock.at / DAY) + 1) * DAY;
    };

    test('admits exactly the limit of requests sent at once', async () => {
      expect(await send(newCaller(), 80)).toBe(60);
    });

    test('counts the keys of a workspace together and workspaces apart', async () => {
      const caller = newCaller();
      expect(await send(caller, 40)).toBe(40);
      expect(await send(otherKey(caller), 40)).toBe(20);
      expect(await send(newCaller(), 1)).toBe(1);
    });

    test('opens a minute with the first counted request and ends it 60 s later', async () => {
      const caller = newCaller();
      const [unopened] = (await limiter.peek(caller)).windows;
      expect(unopened).toMatchObject({ remaining: 60, resetAt: clock.at + MINUTE });
      clock.at += 30 * SECOND;
      const end = clock.at + MINUTE;
      expect(await send(caller, 60)).toBe(60);
      clock.at = end - 1;
      expect((await refusalOf(caller)).retryAt).toBe(end);
      clock.at = end;
      expect((await limiter.admit(caller, 1)).windows[0]).toMatchObject({
        remaining: 59,
        resetAt: end + MINUTE,
      });
    });

    test('ends a day at midnight UTC', async () => {
      startOfDay();
      const caller = newCaller({ perMinute: 1_000, perDay: 10 });
      const midnight = clock.at + DAY;
      clock.at = midnight - 5;
      expect(await send(caller, 12)).toBe(10);
      expect(await refusalOf(caller)).toMatchObject({ by: 'day', retryAt: midnight });
      clock.at = midnight;
      expect(await send(caller, 12)).toBe(10);
    });

    test('a grant adds to its own UTC day, and to no other', async () => {
      startOfDay();
      const before = newCaller({ perMinute: 1_000, perDay: 10 });
      const midnight = clock.at + DAY;
      const grant = { perDay: 5, endsAt: midnight };
      const caller = { ...before, limits: { ...before.limits, grant } };
      clock.at -= 1;
      expect(await send(caller, 20)).toBe(10);
      clock.at += 1;
      expect(await send(before, 12)).toBe(10);
      expect((await limiter.peek(caller)).windows[1]).toMatchObject({ limit: 15, remaining: 5 });
      expect(await send(caller, 7)).toBe(5);
      clock.at = midnight - 1;
      expect(await refusalOf(caller)).toMatchObject({ by: 'day', retryAt: midnight });
      clock.at = midnight;
      expect((await limiter.peek(caller)).windows[1]).toMatchObject({ limit: 10, remaining: 10 });
      expect(await send(caller, 20)).toBe(10);
    });

    test('counts what a request costs, all of it or nothing', async () => {
      const caller = newCaller();
      expect(await send(caller, 5, 13)).toBe(4);
      expect((await limiter.peek(caller)).windows.map(({ remaining }) => remaining)).toEqual([
        8, 948,
      ]);
      expect(await send(caller, 1, 8)).toBe(1);
    });

    const remainingOf = ({ windows }: Verdict) => windows.map(({ remaining }) => remaining);

    test('counts the whole of a request that was admitted as one, or gives the one back', async () => {
      const caller = newCaller({ perMinute: 10, perDay: 1_000 });
      const minuteEnd = clock.at + MINUTE;
      const first = await limiter.admit(caller, 1);
      expect(remainingOf(await limiter.readmit(caller, 4, first))).toEqual([6, 996]);
      const second = await limiter.admit(caller, 1);
      const refused = await limiter.readmit(caller, 7, second);
      expect(refused.refusal).toMatchObject({ by: 'minute', retryAt: minuteEnd });
      expect(remainingOf(refused)).toEqual([6, 996]);
      const third = await limiter.admit(caller, 1);
      expect(remainingOf(await limiter.readmit(caller, 6, third))).toEqual([0, 990]);
    });

    test('gives nothing back to a window in which the request was not counted', async () => {
      startOfDay();
      const caller = newCaller({ perMinute: 5, perDay: 1_000 });
      const first = await limiter.admit(caller, 1);
      clock.at += MINUTE;
      expect(await send(caller, 5)).toBe(5);
      const refused = await limiter.readmit(caller, 2, first);
      expect(refused.refusal?.by).toBe('minute');
      expect(remainingOf(refused)).toEqual([0, 995]);
      expect(await send(caller, 1)).toBe(0);
    });

    test('applies another plan to the next request, with what was used still used', async () => {
      const caller = newCaller();
      expect(await send(caller, 60)).toBe(60);
      const larger = { ...caller, limits: { perMinute: 100, perDay: 1_000 } };
      expect(await send(larger, 50)).toBe(40);
      const smaller = { ...caller, limits: { perMinute: 10, perDay: 20 } };
      const { windows, refusal } = await limiter.admit(smaller, 1);
      expect(refusal?.by).toBe('day');
      expect(windows.map(({ remaining }) => remaining)).toEqual([0, 0]);
      expect(await send({ ...caller, limits: { perMinute: 102, perDay: 1_000 } }, 5)).toBe(2);
    });

    test('says after a refusal when the request will be admitted, to the millisecond', async () => {
      startOfDay();
      for (const [limits, cost] of [
        [free, 1],
        [{ perMinute: 5, perDay: 7 }, 2],
        [{ perMinute: 20, perDay: 20 }, 1],
      ] as const) {
        const caller = newCaller(limits);
        while (!(await limiter.admit(caller, cost)).refusal) clock.at += 10;
        const { retryAt } = await refusalOf(caller, cost);
        clock.at = retryAt - 1;
        expect((await refusalOf(caller, cost)).retryAt).toBe(retryAt);
        clock.at = retryAt;
        expect((await limiter.admit(caller, cost)).refusal).toBeUndefined();
      }
    });

    test('bans a key with its 30th refusal within 60 s and says so from the 31st on', async () => {
      const caller = newCaller();
      await send(caller, 60);
      for (let left = 29; left >= 0; left--) {
        expect(await refusalOf(caller)).toMatchObject({ by: 'minute', refusalsBeforeBan: left });
        clock.at += 100;
      }
      const since = clock.at - 100;
      const refusal = { by: 'ban', until: since + MINUTE, refusalsBeforeBan: 0 };
      expect(await refusalOf(caller)).toMatchObject(refusal);
      expect((await limiter.peek(caller)).refusal).toMatchObject(refusal);
      expect(await limiter.bans(caller.workspaceId)).toEqual([
        expect.objectContaining({
          keyId: caller.keyId,
          workspaceId: caller.workspaceId,
          since,
          until: since + MINUTE,
          strikes: 1,
        }),
      ]);
      expect((await refusalOf(otherKey(caller))).by).toBe('minute');
    });

    test('does not ban a key whose 30 refusals take 60 s', async () => {
      const caller = newCaller({ perMinute: 1_000, perDay: 1 });
      startOfDay();
      await send(caller, 1);
      for (let sent = 0; sent < 90; sent++) {
        expect((await refusalOf(caller)).by).toBe('day');
        clock.at += Math.ceil(MINUTE / 29);
      }
    });

    test('gives the true retry time with the refusal that leads to a ban', async () => {
      const caller = newCaller();
      await send(caller, 60);
      clock.at += 20 * SECOND;
      const { retryAt, by } = await ban(caller);
      expect({ by, retryAt }).toEqual({ by: 'minute', retryAt: clock.at + MINUTE });
      clock.at = retryAt - 1;
      expect(await refusalOf(caller)).toMatchObject({ by: 'ban', retryAt });
      clock.at = retryAt;
      expect(await send(caller, 1)).toBe(1);
    });

    test('gives the true retry time during a ban when a window outlasts it', async () => {
      startOfDay();
      const caller = newCaller({ perMinute: 1_000, perDay: 5 });
      await send(caller, 5);
      await ban(caller);
      const banned = await refusalOf(caller);
      expect(banned).toMatchObject({ by: 'ban', until: clock.at + MINUTE });
      clock.at = banned.retryAt - 1;
      expect(await refusalOf(caller)).toMatchObject({ by: 'day', retryAt: banned.retryAt });
      clock.at = banned.retryAt;
      expect(await send(caller, 1)).toBe(1);
    });

    test('counts nothing and extends nothing for requests during a ban', async () => {
      const caller = newCaller();
      await send(caller, 60);
      const { retryAt } = await ban(caller);
      for (let sent = 0; sent < 100; sent++) {
        expect((await refusalOf(caller)).until).toBe(retryAt);
        clock.at += 300;
      }
      clock.at = retryAt;
      expect(await send(caller, 61)).toBe(60);
      expect((await refusalOf(caller)).refusalsBeforeBan).toBe(28);
    });

    test('climbs the ladder with every ban and repeats its last step', async () => {
      startOfDay();
      const caller = newCaller({ perMinute: 1, perDay: 1_000 });
      const banAgain = async () => {
        await send(caller, 1);
        const { retryAt } = await ban(caller);
        const length = retryAt - clock.at;
        const [active] = await limiter.bans(caller.workspaceId);
        clock.at = retryAt;
        return [length / MINUTE, active?.strikes];
      };
      expect(await banAgain()).toEqual([1, 1]);
      expect(await banAgain()).toEqual([5, 2]);
      expect(await banAgain()).toEqual([30, 3]);
      expect(await banAgain()).toEqual([120, 4]);
      expect(await banAgain()).toEqual([1_440, 5]);
      expect(await banAgain()).toEqual([1_440, 6]);
      clock.at += DAY - MINUTE;
      expect(await banAgain()).toEqual([1_440, 7]);
    });

    test('starts the ladder anew a day after the end of a ban, or after the last refusal', async () => {
      startOfDay();
      const caller = newCaller({ perMinute: 1, perDay: 1_000 });
      const strikesAfter = async (pause: number) => {
        clock.at += pause;
        await send(caller, 1);
        clock.at = (await ban(caller)).retryAt;
        return db.bans.get(caller.keyId)!.strikes;
      };
      expect(await strikesAfter(0)).toBe(1);
      expect(await strikesAfter(DAY - 1)).toBe(2);
      expect(await strikesAfter(DAY)).toBe(1);
      await send(caller, 1);
      expect((await refusalOf(caller)).by).toBe('minute');
      expect(await strikesAfter(DAY - 1)).toBe(2);
    });

    test('forgets a lifted ban at once, writes nothing, and keeps the strike', async () => {
      const caller = newCaller();
      await send(caller, 60);
      await ban(caller);
      expect(db.liftBan(caller.keyId, clock.at)).toBe(true);
      const { writes } = db;
      await limiter.lift(caller.keyId);
      expect(db.writes).toBe(writes);
      expect(await limiter.bans(caller.workspaceId)).toEqual([]);
      expect(await refusalOf(caller)).toMatchObject({ by: 'minute', refusalsBeforeBan: 29 });
      await ban(caller);
      expect((await refusalOf(caller)).until).toBe(clock.at + 5 * MINUTE);
    });

    test('notices within a second that a ban was lifted in the database', async () => {
      const caller = newCaller({ perMinute: 1, perDay: 1_000 });
      await send(caller, 1);
      await ban(caller);
      expect((await refusalOf(caller)).by).toBe('ban');
      db.bans.get(caller.keyId)!.until = 0;
      clock.at += SECOND;
      expect((await refusalOf(caller)).by).toBe('minute');
      expect((await refusalOf(caller)).by).toBe('minute');
    });

    test('saves a ban in the database before it returns the refusal', async () => {
      const caller = newCaller();
      await send(caller, 60);
      await ban(caller);
      expect(db.bans.get(caller.keyId)).toMatchObject({ since: clock.at, strikes: 1 });
    });

    test('gives nothing back when the clock is set back, and lengthens nothing', async () => {
      startOfDay();
      clock.at += HOUR;
      const caller = newCaller({ perMinute: 60, perDay: 60 });
      await send(caller, 60);
      await ban(caller);
      for (const jump of [SECOND, HOUR, DAY]) {
        clock.at -= jump;
        const { windows, refusal } = await limiter.admit(caller, 1);
        expect(refusal!.by).toBe('ban');
        expect(refusal!.until - clock.at).toBeLessThanOrEqual(MINUTE);
        expect(windows.map(({ remaining }) => remaining)).toEqual([0, 0]);
        expect(windows[0]!.resetAt - clock.at).toBeLessThanOrEqual(MINUTE);
        expect(windows[1]!.resetAt - clock.at).toBeLessThanOrEqual(DAY);
      }
      clock.at += MINUTE;
      expect((await refusalOf(caller)).by).toBe('day');
      clock.at += DAY - MINUTE;
      expect(await send(caller, 61)).toBe(60);
    });

    test('does not double a day when the clock is set back over midnight', async () => {
      startOfDay();
      const caller = newCaller({ perMinute: 1_000, perDay: 10 });
      expect(await send(caller, 10)).toBe(10);
      clock.at -= 10 * SECOND;
      expect(await send(caller, 1)).toBe(0);
      clock.at += 20 * SECOND;
      expect(await send(caller, 1)).toBe(0);
    });

    test('counts each bucket by itself, a minute from its first request', async () => {
      const name = `address ${nextWorkspace()}`;
      expect((await limiter.peekBucket(name, 3)).windows).toEqual([
        { name: 'minute', limit: 3, remaining: 3, resetAt: clock.at + MINUTE },
      ]);
      const end = clock.at + MINUTE;
      for (const remaining of [2, 1, 0]) {
        const { windows, refusal } = await limiter.admitBucket(name, 3);
        expect(refusal).toBeUndefined();
        expect(windows).toEqual([{ name: 'minute', limit: 3, remaining, resetAt: end }]);
        clock.at += SECOND;
      }
      const refused = { by: 'minute', retryAt: end, until: end, refusalsBeforeBan: 0 };
      expect((await limiter.admitBucket(name, 3)).refusal).toEqual(refused);
      expect((await limiter.peekBucket(name, 3)).refusal).toBeUndefined();
      expect((await limiter.admitBucket(`${name} too`, 3)).refusal).toBeUndefined();
      clock.at = end;
      expect((await limiter.admitBucket(name, 3)).windows[0]!.remaining).toBe(2);
      clock.at -= HOUR;
      const { windows } = await limiter.admitBucket(name, 3);
      expect(windows[0]).toMatchObject({ remaining: 1, resetAt: clock.at + MINUTE });
    });
  });
}
