import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Caller } from '../../../src/domain/key.ts';
import type { Limits } from '../../../src/domain/plan.ts';
import type { Verdict } from '../../../src/limits/limiter.ts';
import { MemoryLimiter } from '../../../src/limits/memory/memory-limiter.ts';
import { rules, VirtualClock } from '../history.ts';
import { type LimitConnection, LimitDatabase } from '../limit-database.ts';

const MINUTE = 60_000;
const free: Limits = { perMinute: 60, perDay: 1_000 };
let clock: VirtualClock;
let db: LimitDatabase;
let connection: LimitConnection;
let failures: unknown[];
let limiter: MemoryLimiter;

beforeEach(() => {
  clock = new VirtualClock();
  db = new LimitDatabase();
  failures = [];
  start();
});
afterEach(() => limiter.close());

function start(): void {
  connection = db.connect();
  const onStoreFailure = (err: unknown) => failures.push(err);
  limiter = new MemoryLimiter({ store: connection, clock, policy: rules, onStoreFailure });
}

async function crash(): Promise<void> {
  connection.cut();
  await limiter.close();
  start();
}

function callerOf(workspaceId: number, limits: Limits = free): Caller {
  return { keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits };
}

async function send(caller: Caller, times: number, cost = 1): Promise<number> {
  const sent = Array.from({ length: times }, () => limiter.admit(caller, cost));
  const verdicts = await Promise.all(sent);
  return verdicts.filter(({ refusal }) => !refusal).length;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Makes writes wait until the returned function is called. */
function holdWrites(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  connection.gate = promise;
  return () => {
    connection.gate = undefined;
    resolve();
  };
}

test('decides without a promise in the normal case', async () => {
  const caller = callerOf(1, { perMinute: 1_000, perDay: 100_000 });
  await limiter.admit(caller, 1);
  let waits = 0;
  for (let sent = 0; sent < 999; sent++) {
    if (limiter.admit(caller, 1) instanceof Promise) waits += 1;
    await settled();
  }
  expect(waits).toBe(0);
  expect(limiter.peek(caller)).not.toBeInstanceOf(Promise);
  expect(limiter.admit(caller, 1)).toMatchObject({ refusal: { by: 'minute' } });
});

test('writes some forty times for a window, not once for each request', async () => {
  const caller = callerOf(1, { perMinute: 10_000, perDay: 1_000_000 });
  for (let sent = 0; sent < 10_000; sent++) {
    await limiter.admit(caller, 1);
    await settled();
  }
  expect(db.writes).toBeLessThanOrEqual(42);
});

test.each([free, { perMinute: 1_000, perDay: 5_000 }, { perMinute: 7, perDay: 15 }])(
  'a crash forfeits at most a twentieth of %o and gives nothing back',
  async (limits) => {
    for (const workspaceId of [1, 2, 5, 12]) {
      const caller = callerOf(workspaceId, limits);
      const before = await send(caller, Math.min(workspaceId * 5, limits.perMinute));
      await crash();
      const after = await send(caller, limits.perMinute + 10);
      expect(before + after).toBeLessThanOrEqual(limits.perMinute);
      const forfeited = limits.perMinute - before - after;
      expect(forfeited).toBeLessThanOrEqual(Math.max(1, limits.perMinute / 20));
    }
  },
);

test('twenty crashes within a minute forfeit a small part of it', async () => {
  const caller = callerOf(1, { perMinute: 1_000, perDay: 1_000_000 });
  for (let crashes = 0; crashes < 20; crashes++) {
    expect(await send(caller, 1)).toBe(1);
    await crash();
  }
  expect(await send(caller, 1_000)).toBeGreaterThanOrEqual(1_000 - 20 - 150);
});

test.each([100_000, 1_000])(
  'twenty crashes forfeit a small part of a day of %i, also if the minute allows as much',
  async (limit) => {
    const caller = callerOf(1, { perMinute: limit, perDay: limit });
    clock.at += 3_600_000;
    for (let crashes = 0; crashes < 20; crashes++) {
      expect(await send(caller, 1)).toBe(1);
      await crash();
      clock.at += MINUTE;
    }
    const left = (await limiter.peek(caller)).windows[1]!.remaining;
    expect(left).toBeGreaterThanOrEqual(limit - 20 - limit / 20);
  },
);

test('a clean stop forfeits nothing', async () => {
  const caller = callerOf(1);
  expect(await send(caller, 31)).toBe(31);
  await limiter.close();
  start();
  expect(await send(caller, 60)).toBe(29);
});

test('admits the first request of a window when its block is written', async () => {
  const caller = callerOf(1);
  await limiter.peek(caller);
  const release = holdWrites();
  const first = limiter.admit(caller, 1);
  expect(first).toBeInstanceOf(Promise);
  await settled();
  expect(db.counters.size).toBe(0);
  clock.at += 700;
  release();
  const [minute] = (await first).windows;
  expect(minute).toMatchObject({ remaining: 59, resetAt: clock.at - 700 + MINUTE });
  expect(db.counters.get(1)!.minuteUsed).toBeGreaterThanOrEqual(1);
});

test('admits requests that wait for a block in their order, and exactly the limit', async () => {
  const caller = callerOf(1);
  await limiter.peek(caller);
  const release = holdWrites();
  const answers: [number, boolean][] = [];
  const sent = Array.from({ length: 100 }, async (_, index) => {
    const { refusal } = await limiter.admit(caller, 1);
    answers.push([index, refusal === undefined]);
  });
  await settled();
  expect(answers).toEqual([]);
  release();
  await Promise.all(sent);
  expect(answers.filter(([, isAdmitted]) => isAdmitted).map(([index]) => index)).toEqual(
    Array.from({ length: 60 }, (_, index) => index),
  );
});

test('never admits more than the database covers', async () => {
  const caller = callerOf(1, { perMinute: 100, perDay: 1_000 });
  let admitted = 0;
  for (let round = 0; round < 40; round++) {
    const release = holdWrites();
    const waiting: Promise<Verdict>[] = [];
    for (let sent = 0; sent < 4; sent++) {
      const decided = limiter.admit(caller, 1);
      if (decided instanceof Promise) waiting.push(decided);
      else if (!decided.refusal) admitted += 1;
      expect(admitted).toBeLessThanOrEqual(db.counters.get(1)?.minuteUsed ?? 0);
      await settled();
    }
    release();
    const late = await Promise.all(waiting);
    admitted += late.filter(({ refusal }) => !refusal).length;
  }
  expect(admitted).toBe(100);
});

test('a smaller plan takes nothing back from what is covered', async () => {
  const large = callerOf(1, { perMinute: 300, perDay: 1_000 });
  await limiter.admit(large, 1);
  const small = { ...large, limits: { perMinute: 5, perDay: 50_000 } };
  for (let sent = 0; sent < 4; sent++) limiter.admit(small, 1);
  await settled();
  expect(db.counters.get(1)!.minuteUsed).toBeGreaterThanOrEqual(5);
});

test('a cost above a block is covered as a whole', async () => {
  const caller = callerOf(1);
  expect(await send(caller, 1, 40)).toBe(1);
  await crash();
  const after = await send(caller, 30);
  expect(after).toBeLessThanOrEqual(20);
  expect(after).toBeGreaterThanOrEqual(17);
});

test('counts in memory while the database fails, and reports it once a second', async () => {
  const caller = callerOf(1);
  await limiter.admit(caller, 1);
  connection.failure = new Error('disk full');
  expect(await send(caller, 80)).toBe(59);
  clock.at += MINUTE;
  expect(await send(callerOf(2), 0)).toBe(0);
  expect(await send(caller, 80)).toBe(60);
  expect(failures.length).toBeGreaterThanOrEqual(1);
  expect(failures.length).toBeLessThanOrEqual(3);
});

test('no request waits for a database that is known to fail', async () => {
  const caller = callerOf(1);
  await limiter.admit(caller, 1);
  connection.failure = new Error('disk full');
  await send(caller, 5);
  expect(failures).toHaveLength(1);
  clock.at += 5_000;
  const release = holdWrites();
  for (let sent = 0; sent < 20; sent++) {
    expect(limiter.admit(caller, 1)).not.toBeInstanceOf(Promise);
  }
  release();
});

test('writes all that was used when the database is back', async () => {
  const caller = callerOf(1);
  await limiter.admit(caller, 1);
  connection.failure = new Error('disk full');
  await send(caller, 30);
  connection.failure = undefined;
  clock.at += 1_000;
  await limiter.admit(caller, 1);
  await settled();
  expect(db.counters.get(1)!.minuteUsed).toBeGreaterThanOrEqual(32);
  // From here on nothing is admitted before it is written.
  const release = holdWrites();
  const decided = Array.from({ length: 10 }, () => limiter.admit(caller, 1));
  expect(decided.filter((verdict) => verdict instanceof Promise).length).toBeGreaterThan(5);
  release();
  await Promise.all(decided);
  await crash();
  expect(await send(caller, 60)).toBeLessThanOrEqual(18);
});

test('writes what was used when the database is back, also without a request', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const caller = callerOf(1);
  await limiter.admit(caller, 1);
  connection.failure = new Error('disk full');
  await send(caller, 30);
  vi.advanceTimersByTime(1_000);
  await settled();
  connection.failure = undefined;
  vi.advanceTimersByTime(1_000);
  await settled();
  await crash();
  expect(await send(caller, 60)).toBe(29);
});

test('a clean stop after the database is back forfeits nothing and gives nothing back', async () => {
  const caller = callerOf(1);
  await limiter.admit(caller, 1);
  connection.failure = new Error('disk full');
  await send(caller, 30);
  connection.failure = undefined;
  await limiter.close();
  start();
  expect(await send(caller, 60)).toBe(29);
});

test('keeps what could not be written when a quiet workspace is swept', async () => {
  const caller = callerOf(1);
  await limiter.admit(caller, 1);
  connection.failure = new Error('disk full');
  await send(caller, 20);
  clock.at += 2 * MINUTE;
  await limiter.sweep();
  connection.failure = undefined;
  clock.at += 2_000;
  await limiter.sweep();
  expect(db.counters.get(1)!.dayUsed).toBe(21);
});

test('returns the refusal that led to a ban after the ban is written', async () => {
  const caller = callerOf(1);
  await send(caller, 60);
  await send(caller, 29);
  const release = holdWrites();
  let isAnswered = false;
  const last = Promise.resolve(limiter.admit(caller, 1)).finally(() => {
    isAnswered = true;
  });
  await settled();
  expect(isAnswered).toBe(false);
  release();
  expect((await last).refusal).toMatchObject({ by: 'minute', refusalsBeforeBan: 0 });
  expect(db.bans.get('1.a')).toMatchObject({ strikes: 1 });
});

test('a ban survives a crash, with its strikes', async () => {
  const caller = callerOf(1);
  await send(caller, 90);
  await crash();
  expect(await limiter.admit(caller, 1)).toMatchObject({ refusal: { by: 'ban' } });
  expect(await limiter.bans(caller.workspaceId)).toMatchObject([{ keyId: '1.a', strikes: 1 }]);
});

test('a ban that could not be written holds and is written later', async () => {
  const caller = callerOf(1);
  await send(caller, 60);
  connection.failure = new Error('disk full');
  await send(caller, 30);
  connection.failure = undefined;
  expect(db.bans.size).toBe(0);
  clock.at += 1_500;
  expect((await limiter.admit(caller, 1)).refusal?.by).toBe('ban');
  expect(db.bans.get('1.a')).toMatchObject({ strikes: 1, since: clock.at - 1_500 });
});

test('a banned request asks the database once, however slow it is', async () => {
  const caller = callerOf(1);
  await send(caller, 90);
  const findBan = vi.spyOn(connection, 'findBan').mockImplementation(async () => {
    clock.at += 1_500;
    return undefined;
  });
  clock.at += 1_500;
  expect((await limiter.admit(caller, 1)).refusal?.by).toBe('ban');
  expect((await limiter.peek(caller)).refusal?.by).toBe('ban');
  expect(findBan).toHaveBeenCalledTimes(2);
});

test('a sweep does not undo a lift in the database', async () => {
  const caller = callerOf(1, { perMinute: 1, perDay: 1_000 });
  await send(caller, 31);
  db.bans.get('1.a')!.until = 0;
  clock.at += 2 * MINUTE;
  await limiter.sweep();
  await limiter.close();
  expect(db.bans.get('1.a')!.until).toBe(0);
});

test('asks the database about a banned key once a second', async () => {
  const caller = callerOf(1);
  await send(caller, 90);
  let asked = 0;
  const findBan = connection.findBan.bind(connection);
  connection.findBan = (keyId) => {
    asked += 1;
    return findBan(keyId);
  };
  for (let tenth = 0; tenth < 50; tenth++) {
    await send(caller, 20);
    clock.at += 100;
  }
  expect(asked).toBeLessThanOrEqual(5);
});

test('drops 20,000 workspaces a minute after their last request', async () => {
  for (let id = 1; id <= 20_000; id++) await limiter.admit(callerOf(id), 1);
  expect(limiter.size).toBe(20_000);
  clock.at += MINUTE - 1;
  await limiter.sweep();
  expect(limiter.size).toBe(20_000);
  clock.at += 1;
  await limiter.sweep();
  expect(limiter.size).toBe(0);
  expect(db.counters.get(7_777)).toMatchObject({ minuteUsed: 1, dayUsed: 1 });
  expect(await send(callerOf(5), 1)).toBe(1);
});

test('a sweep keeps the refusals of a key that the day keeps refusing', async () => {
  const caller = callerOf(1, { perMinute: 1_000, perDay: 1 });
  await send(caller, 1);
  clock.at += 2 * MINUTE;
  await send(caller, 15);
  await limiter.sweep();
  await send(caller, 15);
  expect((await limiter.admit(caller, 1)).refusal?.by).toBe('ban');
});
