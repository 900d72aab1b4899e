import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CachedQuery, QueryCache } from '../../src/api/query-cache.ts';

const MINUTE_MS = 60_000;

let cache: QueryCache;
let reads: { signal: AbortSignal; resolve: (data: string) => void; reject: (err: Error) => void }[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  cache = new QueryCache();
  reads = [];
});
afterEach(() => {
  vi.useRealTimers();
});

/** A query whose reads the test answers. */
function query(...args: unknown[]): CachedQuery<string> {
  const cached = cache.query<string>(['listPets', ...args]);
  cached.read = (signal) =>
    new Promise((resolve, reject) => reads.push({ signal, resolve, reject }));
  return cached;
}

function watch(cached: CachedQuery<string>, isEnabled = true) {
  const onChange = vi.fn();
  return { onChange, leave: cached.watch({ isEnabled, onChange }) };
}

async function answer(index: number, data: string): Promise<void> {
  reads[index]!.resolve(data);
  await Promise.resolve();
}

test('equal keys are one query, and a read on its way is shared', async () => {
  expect(query({ limit: 1 })).toBe(query({ limit: 1 }));
  expect(query({ limit: 2 })).not.toBe(query({ limit: 1 }));
  const cached = query();
  cached.fetchIfOld();
  cached.fetchIfOld();
  expect(reads.length).toBe(1);
  await answer(0, 'a');
  expect(cache.get(['listPets'])).toBe('a');
});

test('an answer is fresh for a minute', async () => {
  const cached = query();
  cached.fetchIfOld();
  await answer(0, 'a');
  vi.setSystemTime(Date.now() + MINUTE_MS);
  cached.fetchIfOld();
  expect(reads.length).toBe(1);
  vi.setSystemTime(Date.now() + 1);
  cached.fetchIfOld();
  expect(reads.length).toBe(2);
});

test('what the screen shows is read again, what it does not show is only marked as old', async () => {
  const shown = query('shown');
  const known = query('known');
  const left = query('left');
  watch(shown);
  watch(known, false);
  for (const each of [shown, known, left]) each.set('a');
  for (const each of cache.of('listPets')) each.invalidate(true);
  expect(reads.length).toBe(1);
  left.fetchIfOld();
  expect(reads.length).toBe(2);
});

test('an answer that may not cost a request is only marked as old', () => {
  const cached = query();
  watch(cached);
  cached.set('a');
  cached.invalidate(false);
  expect(reads.length).toBe(0);
  cached.fetchIfOld();
  expect(reads.length).toBe(1);
});

test('those who watch hear that an answer is old, also if it is not read again', async () => {
  const cached = query();
  const { onChange } = watch(cached, false);
  cached.set('a');
  onChange.mockClear();
  cached.invalidate(true);
  expect([cached.isInvalid, cached.data]).toEqual([true, 'a']);
  expect(onChange).toHaveBeenCalledTimes(1);
  void cached.fetch();
  await answer(0, 'b');
  expect([cached.isInvalid, cached.data]).toEqual([false, 'b']);
});

test('a read that began before a change is dropped', async () => {
  const cached = query();
  watch(cached);
  cached.fetchIfOld();
  cached.invalidate(true);
  expect(reads[0]!.signal.aborted).toBe(true);
  await answer(1, 'new');
  await answer(0, 'old');
  expect(cached.data).toBe('new');
});

test('a change while the answer is on its way leaves it old', async () => {
  const cached = query();
  watch(cached);
  cached.fetchIfOld();
  cached.invalidate(false);
  await answer(0, 'a');
  cached.fetchIfOld();
  expect(reads.length).toBe(2);
});

test('a read that fails keeps the data, tells the error, and says so once', async () => {
  const errors: unknown[] = [];
  cache.onError = (err) => errors.push(err);
  const cached = query();
  watch(cached);
  cached.set('a');
  cached.invalidate(true);
  const err = new Error('unavailable');
  reads[0]!.reject(err);
  await Promise.resolve();
  expect([cached.data, cached.error, cached.isFetching]).toEqual(['a', err, false]);
  expect(errors).toEqual([err]);
  cache.refetch(({ error }) => error !== null);
  await answer(1, 'b');
  expect([cached.data, cached.error]).toEqual(['b', null]);
});

test('the read of a screen that was left is aborted, and is no error', async () => {
  const cached = query();
  const { leave } = watch(cached);
  cached.fetchIfOld();
  leave();
  expect(reads[0]!.signal.aborted).toBe(true);
  reads[0]!.reject(new Error('aborted'));
  await Promise.resolve();
  expect([cached.error, cached.isFetching]).toEqual([null, false]);
});

test('every change reaches those who watch, and none who left', async () => {
  const cached = query();
  const { onChange, leave } = watch(cached);
  cached.fetchIfOld();
  await answer(0, 'a');
  expect(onChange).toHaveBeenCalledTimes(2);
  leave();
  cached.set('b');
  expect(onChange).toHaveBeenCalledTimes(2);
});

test('clearing forgets what is shown and what is not', async () => {
  const shown = query('shown');
  const { onChange } = watch(shown);
  shown.set('a');
  query('left').set('b');
  onChange.mockClear();
  cache.clear();
  expect([shown.data, cache.get(['listPets', 'left'])]).toEqual([undefined, undefined]);
  expect(onChange).toHaveBeenCalled();
});

test('an answer that no screen shows is kept for five minutes', () => {
  const left = query('left');
  left.set('a');
  const { leave } = watch(left);
  leave();
  vi.setSystemTime(Date.now() + 5 * MINUTE_MS);
  query('next');
  expect(cache.get(['listPets', 'left'])).toBe('a');
  vi.setSystemTime(Date.now() + 1);
  query('another');
  expect(cache.get(['listPets', 'left'])).toBeUndefined();
});

test('a change whose read was dropped or failed leaves the answer old', async () => {
  const cached = query();
  const { leave } = watch(cached);
  cached.set('a');
  cached.invalidate(true);
  leave();
  cached.fetchIfOld();
  expect(reads.length).toBe(2);
  reads[1]!.reject(new Error('unavailable'));
  await Promise.resolve();
  cached.fetchIfOld();
  await answer(2, 'b');
  cached.fetchIfOld();
  expect([reads.length, cached.data]).toEqual([3, 'b']);
});
