import { ConnectionError, RateLimitError } from '@petstore/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

// The client of the page reads where the page is when it is loaded.
vi.stubGlobal('location', { origin: 'http://127.0.0.1:1', search: '' });
const limits = await import('../../src/api/limits.ts');
const { store } = await import('../../src/api/store.ts');
const { dayWindow, isPaused, minuteWindow, pause, request } = limits;

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-16T12:00:00Z') });
  minuteWindow.value = undefined;
  dayWindow.value = undefined;
  limits.clearPause();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:1', search: '' });
});

interface RefusalFacts {
  code?: string;
  retryAfterSeconds?: number;
  isLocal?: boolean;
  refusalsBeforeBan?: number;
}

/** A call that is refused. */
async function refuse(facts: RefusalFacts): Promise<void> {
  const { refusalsBeforeBan, ...rest } = facts;
  const err = new RateLimitError({
    code: 'rate_limit_exceeded',
    message: 'refused',
    status: 429,
    retryAfterSeconds: 40,
    details: { refusalsBeforeBan },
    ...rest,
  });
  await expect(request(() => Promise.reject(err))).rejects.toBe(err);
}

/** A call whose response leaves this much. */
async function answer(minute: number, day: number, { limit = 60, reset = 30 } = {}): Promise<void> {
  const headers = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(minute),
    'x-ratelimit-reset': '0',
    'ratelimit-policy': `"minute";q=${limit};w=60, "day";q=1000;w=86400`,
    ratelimit: `"minute";r=${minute};t=${reset}, "day";r=${day};t=43200`,
  };
  vi.stubGlobal('fetch', async () => new Response('[]', { headers }));
  await request(() => store.usage.plans());
}

test('the windows are those of the last response', async () => {
  await answer(59, 999);
  expect(minuteWindow.value).toMatchObject({ limit: 60, remaining: 59 });
  expect(dayWindow.value).toMatchObject({ limit: 1000, remaining: 999 });
  expect(minuteWindow.value!.resetAt).toBe(Date.now() + 30_000);
});

test('a response that was overtaken does not give requests back', async () => {
  await answer(50, 990);
  await answer(52, 992);
  expect(minuteWindow.value?.remaining).toBe(50);
  expect(dayWindow.value?.remaining).toBe(990);
});

test('the next minute and another plan start with their own numbers', async () => {
  await answer(2, 900);
  vi.advanceTimersByTime(31_000);
  await answer(59, 899, { reset: 60 });
  expect(minuteWindow.value?.remaining).toBe(59);
  await answer(298, 898, { limit: 300, reset: 60 });
  expect(minuteWindow.value).toMatchObject({ limit: 300, remaining: 298 });
});

test('a refused minute silences the page until it is over, then calls back once', async () => {
  const ended = vi.fn();
  limits.onPauseEnd(ended);
  await refuse({ refusalsBeforeBan: 29 });
  await refuse({ refusalsBeforeBan: 28 });
  expect(pause.value).toMatchObject({ kind: 'minute', until: Date.now() + 40_000 });
  expect(isPaused.value).toBe(true);
  vi.advanceTimersByTime(39_999);
  expect(ended).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(ended).toHaveBeenCalledTimes(1);
  expect([pause.value, isPaused.value]).toEqual([undefined, false]);
});

test('a used-up day does not silence the page, also when the client refuses by itself', async () => {
  await refuse({ code: 'quota_exceeded', retryAfterSeconds: 43_200, refusalsBeforeBan: 29 });
  expect([pause.value?.kind, isPaused.value]).toEqual(['day', false]);
  limits.clearPause();
  await answer(30, 0);
  await refuse({ isLocal: true, retryAfterSeconds: 43_200 });
  expect([pause.value?.kind, isPaused.value]).toEqual(['day', false]);
});

test('what costs nothing is sent while the minute is used up, and not during a ban', async () => {
  const read = vi.fn(async () => 'read');
  await refuse({ refusalsBeforeBan: 29 });
  await expect(limits.requestUnlessPaused(read)).rejects.toBeInstanceOf(limits.NotSent);
  expect(read).not.toHaveBeenCalled();
  expect(await limits.requestUnlessPaused(read, true)).toBe('read');
  expect(pause.value?.kind).toBe('minute');
  await refuse({ code: 'key_banned', retryAfterSeconds: 60 });
  await expect(limits.requestUnlessPaused(read, true)).rejects.toBeInstanceOf(limits.NotSent);
  expect(read).toHaveBeenCalledTimes(1);
});

test('a ban sends nothing by itself, not even at its end', async () => {
  const ended = vi.fn();
  limits.onPauseEnd(ended);
  await refuse({ code: 'key_banned', retryAfterSeconds: 60 });
  // What the client refuses meanwhile is still the ban.
  await refuse({ isLocal: true });
  expect(pause.value?.kind).toBe('ban');
  vi.advanceTimersByTime(120_000);
  expect(ended).not.toHaveBeenCalled();
  expect(isPaused.value).toBe(true);
});

test('the cap of a free operation is no refusal of the plan', async () => {
  await refuse({});
  await refuse({ code: 'too_many_streams' });
  expect([pause.value, isPaused.value]).toEqual([undefined, false]);
});

test('a service that does not answer counts as away until it answers', async () => {
  const gone = new ConnectionError({ code: 'connection_failed', message: 'gone', status: 0 });
  await request(() => Promise.reject(gone)).catch(() => {});
  expect([pause.value?.kind, isPaused.value]).toEqual(['away', true]);
  vi.advanceTimersByTime(5_000);
  expect([pause.value?.kind, isPaused.value]).toEqual(['away', false]);
  await request(() => Promise.resolve());
  expect(pause.value).toBeUndefined();
});
