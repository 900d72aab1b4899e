// A spent window or a ban may end before its time: the plan was raised, or an operator lifted the ban. One call a minute
// finds out.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Petstore, type PetstoreOptions, type RateLimitError } from '../src/petstore.ts';
import { type ScriptedResponse, scriptedFetch } from '../src/testing.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

function headersOf(day: { limit: number; remaining: number; seconds?: number }) {
  const { limit, remaining, seconds = 36_000 } = day;
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'ratelimit-policy': `"minute";q=60;w=60, "day";q=${limit};w=86400`,
    ratelimit: `"minute";r=40;t=60, "day";r=${remaining};t=${seconds}`,
  };
}

function refusedBy(code: string, limit: string, seconds = 36_000): ScriptedResponse {
  return {
    status: 429,
    body: { code, message: 'No.', status: 429, details: { limit, refusalsBeforeBan: 29 } },
    headers: {
      ...headersOf({ limit: 1000, remaining: 0, seconds }),
      'retry-after': String(seconds),
    },
  };
}

const spent = refusedBy('quota_exceeded', 'day');
const banned = refusedBy('key_banned', 'ban');
const admitted = (limit: number): ScriptedResponse => ({
  body: [],
  headers: headersOf({ limit, remaining: 900 }),
});

function storeOver(script: ScriptedResponse[], options: PetstoreOptions = {}) {
  const fetch = scriptedFetch(script);
  return { store: new Petstore({ apiKey: 'psk_test', fetch, ...options }), fetch };
}

function errorOf(call: PromiseLike<unknown>): Promise<RateLimitError> {
  return Promise.resolve(call).then(
    () => expect.unreachable(),
    (err: unknown) => err as RateLimitError,
  );
}

describe('after a refusal for hours', () => {
  it.each([
    ['the plan is raised', spent, 10_000],
    ['the count is reset on the same plan', spent, 1_000],
    ['the ban is lifted', banned, 1_000],
  ])('calls are sent again within a minute once %s', async (_, refusal, limit) => {
    const { store, fetch } = storeOver([refusal, admitted(limit), admitted(limit)]);
    await errorOf(store.pets.list());
    expect(await errorOf(store.pets.list())).toMatchObject({ isLocal: true });
    await vi.advanceTimersByTimeAsync(60_000);
    await store.pets.list();
    await store.pets.list();
    expect(fetch.requests).toHaveLength(3);
  });

  it('one call a minute is sent, and gets the refusal itself', async () => {
    const { store, fetch } = storeOver([spent, spent, spent]);
    await errorOf(store.pets.list());
    for (const minute of [1, 2]) {
      await vi.advanceTimersByTimeAsync(60_000);
      const errors = await Promise.all(Array.from({ length: 5 }, () => errorOf(store.pets.list())));
      expect(errors.map(({ isLocal }) => isLocal)).toEqual([false, true, true, true, true]);
      expect(fetch.requests).toHaveLength(1 + minute);
    }
  });

  it.each([
    [spent, 'quota_exceeded', 'day'],
    [banned, 'key_banned', 'ban'],
  ])('what the client refuses has the code of the service', async (refusal, code, limit) => {
    const { store } = storeOver([refusal]);
    await errorOf(store.pets.list());
    expect(await errorOf(store.pets.list())).toMatchObject({
      code,
      limit,
      isLocal: true,
      retryAfterSeconds: 36_000,
    });
  });

  it('and after a last call of the day that was admitted, too', async () => {
    const last = { body: [], headers: headersOf({ limit: 1000, remaining: 0 }) };
    const { store } = storeOver([last]);
    await store.pets.list();
    const err = await errorOf(store.pets.list());
    expect(err).toMatchObject({ code: 'quota_exceeded', limit: 'day', isLocal: true });
  });

  it('a call that waits asks once a minute, keeps its place and is not lost', async () => {
    const onWait = vi.fn();
    const refusals = [0, 60, 120, 180].map((passed) =>
      refusedBy('quota_exceeded', 'day', 36_000 - passed),
    );
    const script = [...refusals, admitted(10_000), admitted(10_000)];
    const { store, fetch } = storeOver(script, { maxWaitMs: 24 * HOUR_MS, onWait });
    await errorOf(store.pets.list());
    const done: string[] = [];
    void store.pets.list({ name: 'a' }).then(() => done.push('a'));
    void store.pets.list({ name: 'b' }).then(() => done.push('b'));
    await vi.advanceTimersByTimeAsync(3 * 60_000 + 1_000);
    expect(fetch.requests).toHaveLength(4);
    expect(done).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(done).toEqual(['a', 'b']);
    expect(fetch.requests.map(({ url }) => new URL(url).searchParams.get('name'))).toEqual([
      null,
      'a',
      'a',
      'a',
      'a',
      'b',
    ]);
    expect(onWait).toHaveBeenCalledOnce();
  });

  it('nothing is sent while nothing is called, and no timer keeps a process alive', async () => {
    const { store, fetch } = storeOver([spent]);
    await errorOf(store.pets.list());
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(fetch.requests).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
