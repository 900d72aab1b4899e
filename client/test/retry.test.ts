import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  Petstore,
  PetstoreError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from '../src/petstore.ts';
import { type ScriptedFetch, type ScriptedResponse, scriptedFetch } from '../src/testing.ts';

/** Longer than any wait of these calls. Other tests of the process may have timers that never end. */
const LONGEST_MS = 120_000;
const order = { id: 1, petId: 1, quantity: 1, complete: false };

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

function refusal(status: number, code: string, headers: Record<string, string> = {}) {
  const body = { code, message: 'No.', status, requestId: 'r1', details: { limit: 'minute' } };
  return { status, body, headers } satisfies ScriptedResponse;
}

function storeOver(fetch: ScriptedFetch, options = {}): Petstore {
  return new Petstore({ apiKey: 'psk_secret', fetch, ...options });
}

describe('a call is retried', () => {
  it.each([
    ['no answer', new TypeError('fetch failed')],
    ['408', refusal(408, 'request_timeout')],
    ['500', refusal(500, 'internal_error')],
    ['502', { status: 502, body: '<html>' }],
    ['503', refusal(503, 'overloaded', { 'retry-after': '1' })],
    ['504', { status: 504 }],
    ['429 of the minute', refusal(429, 'rate_limit_exceeded', { 'retry-after': '1' })],
    ['409 in progress', refusal(409, 'idempotency_in_progress')],
  ])('after %s, with the same Idempotency-Key', async (_, first) => {
    const fetch = scriptedFetch([first, { status: 201, body: order }]);
    const placed = storeOver(fetch).orders.place({ petId: 1 });
    await vi.advanceTimersByTimeAsync(LONGEST_MS);
    expect(await placed).toEqual(order);
    const keys = fetch.requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });

  it.each([
    ['quota_exceeded', refusal(429, 'quota_exceeded', { 'retry-after': '1' })],
    ['key_banned', refusal(429, 'key_banned', { 'retry-after': '1' })],
    ['insufficient_stock', refusal(409, 'insufficient_stock')],
    ['not_found', refusal(404, 'not_found')],
  ])('never after %s', async (code, response) => {
    const fetch = scriptedFetch([response]);
    const placed = storeOver(fetch).orders.place({ petId: 1 });
    await expect(placed).rejects.toMatchObject({ code });
    expect(fetch.requests).toHaveLength(1);
  });

  it.each([
    ['seconds', '2'],
    ['a date', new Date(1_800_000_002_000).toUTCString()],
  ])('not before Retry-After, given as %s', async (_, value) => {
    const fetch = scriptedFetch([
      refusal(503, 'overloaded', { 'retry-after': value }),
      { body: order },
    ]);
    const call = storeOver(fetch).orders.get(1);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(fetch.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(251);
    expect(fetch.requests).toHaveLength(2);
    expect(await call).toEqual(order);
  });

  it('not at all when Retry-After is longer than a timer holds, whatever maxWaitMs is', async () => {
    const days = (count: number) => String(count * 86_400);
    const fetch = scriptedFetch([
      refusal(503, 'overloaded', { 'retry-after': days(20) }),
      refusal(503, 'overloaded', { 'retry-after': days(60) }),
    ]);
    const attempted = Promise.withResolvers<void>();
    const onRequest = () => attempted.resolve();
    const store = storeOver(fetch, { maxWaitMs: Number.POSITIVE_INFINITY, onRequest });
    const call = store.orders.get(1).catch((err: unknown) => err);
    // On a slow machine the days would pass before the wait begins.
    await attempted.promise;
    await vi.advanceTimersByTimeAsync(Number(days(20)) * 1000 - 1);
    expect(fetch.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(LONGEST_MS);
    expect(await call).toMatchObject({ status: 503 });
    expect(fetch.requests).toHaveLength(2);
  });

  it('not at all when Retry-After is longer than maxWaitMs', async () => {
    const fetch = scriptedFetch([refusal(429, 'rate_limit_exceeded', { 'retry-after': '3600' })]);
    const call = storeOver(fetch).orders.get(1);
    await expect(call).rejects.toMatchObject({ retryAfterSeconds: 3600, limit: 'minute' });
    expect(fetch.requests).toHaveLength(1);
  });

  it('after a back-off that does not depend on maxWaitMs', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const failures = Array.from({ length: 3 }, () => refusal(500, 'internal_error'));
    const fetch = scriptedFetch(failures);
    const waits: number[] = [];
    const options = { maxWaitMs: 0, onWait: (ms: number) => waits.push(ms) };
    const call = storeOver(fetch, options).orders.get(1);
    const outcome = expect(call).rejects.toBeInstanceOf(ServerError);
    await vi.advanceTimersByTimeAsync(LONGEST_MS);
    await outcome;
    expect(waits).toEqual([250, 500]);
  });

  it('after at most the maxWaitMs of the call', async () => {
    const busy = refusal(503, 'overloaded', { 'retry-after': '90' });
    const fetch = scriptedFetch([busy, busy, { body: order }]);
    const store = storeOver(fetch);
    await expect(store.orders.get(1)).rejects.toMatchObject({ status: 503 });
    const patient = store.orders.get(1, { maxWaitMs: 100_000 });
    await vi.advanceTimersByTimeAsync(LONGEST_MS);
    expect(await patient).toEqual(order);
  });

  it('not when the gate refuses it: it has waited as long as it may', async () => {
    const fetch = scriptedFetch([refusal(429, 'rate_limit_exceeded', { 'retry-after': '3600' })]);
    const store = storeOver(fetch);
    await expect(store.orders.get(1)).rejects.toMatchObject({ isLocal: false });
    // The timers stand still, so a wait would not end.
    await expect(store.orders.get(1)).rejects.toMatchObject({ isLocal: true });
    expect(fetch.requests).toHaveLength(1);
  });

  it('at most maxRetries times', async () => {
    const failures = Array.from({ length: 4 }, () => refusal(500, 'internal_error'));
    const fetch = scriptedFetch(failures);
    const call = storeOver(fetch, { maxRetries: 3 }).orders.get(1);
    const outcome = expect(call).rejects.toBeInstanceOf(ServerError);
    await vi.advanceTimersByTimeAsync(LONGEST_MS);
    await outcome;
    expect(fetch.requests).toHaveLength(4);
  });
});

it('a variable of the environment that is empty counts as absent', async () => {
  vi.stubEnv('PETSTORE_BASE_URL', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  const fetch = scriptedFetch([{ body: order }]);
  await storeOver(fetch, { maxRetries: 0 }).orders.get(1);
  expect(fetch.requests[0]!.url).toBe('http://127.0.0.1:8080/v1/store/orders/1');
});

describe('a header that was asked for', () => {
  it('replaces that of the client, in whatever case its name is written', async () => {
    const fetch = scriptedFetch([{ status: 201, body: order }]);
    const headers = { 'Idempotency-Key': 'cart-1', Authorization: 'Bearer psk_other' };
    await storeOver(fetch).orders.place({ petId: 1 }, { headers });
    const sent = fetch.requests[0]!.headers;
    expect(sent.get('idempotency-key')).toBe('cart-1');
    expect(sent.get('authorization')).toBe('Bearer psk_other');
  });

  it('that no request can carry is an error at once, and no failed connection', async () => {
    const fetch = scriptedFetch([]);
    const call = storeOver(fetch).orders.place({ petId: 1 }, { idempotencyKey: 'cart-\u{1F408}' });
    await expect(call).rejects.toBeInstanceOf(TypeError);
    expect(fetch.requests).toHaveLength(0);
  });

  it('is sent also when it is empty: without it the write would be another one', async () => {
    const fetch = scriptedFetch([{ body: order }]);
    const options = { idempotencyKey: '', ifMatch: '' };
    await storeOver(fetch).orders.update(1, { quantity: 2 }, options);
    const { headers } = fetch.requests[0]!;
    expect([headers.get('idempotency-key'), headers.get('if-match')]).toEqual(['', '']);
  });
});

describe('a signal', () => {
  it('ends a wait at once, and nothing is sent afterwards', async () => {
    const fetch = scriptedFetch([refusal(503, 'overloaded', { 'retry-after': '30' })]);
    const controller = new AbortController();
    const call = storeOver(fetch).orders.get(1, { signal: controller.signal });
    const outcome = expect(call).rejects.toThrow('enough');
    await vi.advanceTimersByTimeAsync(1_000);
    controller.abort(new Error('enough'));
    await outcome;
    await vi.advanceTimersByTimeAsync(LONGEST_MS);
    expect(fetch.requests).toHaveLength(1);
  });

  it('rejects with its reason, even if that is null', async () => {
    const controller = new AbortController();
    const { promise, reject } = Promise.withResolvers<Response>();
    const fetch = Object.assign(() => promise, { requests: [] }) as ScriptedFetch;
    const call = storeOver(fetch).orders.get(1, { signal: controller.signal });
    const outcome = expect(call).rejects.toBeNull();
    await vi.advanceTimersByTimeAsync(1_000);
    controller.abort(null);
    reject(null);
    await outcome;
  });

  it('that is aborted already sends nothing', async () => {
    const fetch = scriptedFetch([]);
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(storeOver(fetch).orders.get(1, { signal })).rejects.toThrow('too late');
    expect(fetch.requests).toHaveLength(0);
  });
});

describe('an error', () => {
  it('of the function that gives the key, or of a body that is no JSON, is thrown as it is', async () => {
    const fetch = scriptedFetch([]);
    const sealed = new Error('The vault is sealed.');
    const apiKey = () => Promise.reject(sealed);
    await expect(storeOver(fetch, { apiKey }).orders.get(1)).rejects.toBe(sealed);
    const cyclic: { petId: number; self?: object } = { petId: 1 };
    cyclic.self = cyclic;
    await expect(storeOver(fetch).orders.place(cyclic)).rejects.toBeInstanceOf(TypeError);
    expect(fetch.requests).toHaveLength(0);
  });

  it.each([3e9, Number.POSITIVE_INFINITY])(
    'is no timeout when timeoutMs is %d',
    async (timeoutMs) => {
      vi.useRealTimers();
      const slow = async (_: unknown, init?: RequestInit) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        init!.signal!.throwIfAborted();
        return new Response('{"id":1}');
      };
      const store = new Petstore({ fetch: slow as typeof fetch, timeoutMs, maxRetries: 0 });
      await expect(store.orders.get(1)).resolves.toEqual({ id: 1 });
    },
  );

  it('of a server that never answers is a TimeoutError after every attempt', async () => {
    vi.useRealTimers();
    let attempts = 0;
    const silent = (_: unknown, init?: RequestInit) => {
      attempts += 1;
      return new Promise<Response>((_, reject) => {
        init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason));
      });
    };
    const options = { fetch: silent as typeof fetch, timeoutMs: 20, maxRetries: 1 };
    const call = new Petstore(options).orders.get(1);
    await expect(call).rejects.toBeInstanceOf(TimeoutError);
    expect(attempts).toBe(2);
  });

  it('without a connection names the host and keeps its cause', async () => {
    const cause = new TypeError('fetch failed');
    const fetch = scriptedFetch([cause]);
    const call = storeOver(fetch, { maxRetries: 0, baseUrl: 'http://store.test/v1' }).orders.get(1);
    const err = await call.catch((error: unknown) => error);
    expect(err).toBeInstanceOf(ConnectionError);
    expect(err).toMatchObject({ message: 'http://store.test could not be reached.', cause });
  });

  it.each([
    ['connect ECONNREFUSED 127.0.0.1:9', new Error('connect ECONNREFUSED 127.0.0.1:9')],
    ['self-signed certificate', new Error('self-signed certificate')],
    // A host with two addresses fails twice, with an AggregateError without a message.
    ['ECONNREFUSED', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })],
  ])('without a connection says why: %s', async (reason, why) => {
    const fetch = scriptedFetch([new TypeError('fetch failed', { cause: why })]);
    const call = storeOver(fetch, { maxRetries: 0, baseUrl: 'http://store.test/v1' }).orders.get(1);
    await expect(call).rejects.toThrow(`http://store.test could not be reached: ${reason}.`);
  });

  it('and the client never show the key', async () => {
    const fetch = scriptedFetch([refusal(404, 'not_found')]);
    const seen: unknown[] = [];
    const store = storeOver(fetch, { onRequest: (event: unknown) => seen.push(event) });
    const err = (await store.orders.get(1).catch((error: unknown) => error)) as NotFoundError;
    expect(err).toBeInstanceOf(NotFoundError);
    const texts = [inspect(store, { depth: 9 }), inspect(err), JSON.stringify(err)];
    expect(seen).toHaveLength(1);
    for (const text of [...texts, JSON.stringify(seen)]) expect(text).not.toContain('psk_secret');
  });

  it.each(['psk_secret\nx', 'psk_secret\0', 'psk_secr\u00e9t'])(
    'of the key %j does not show it',
    async (apiKey) => {
      const seen: unknown[] = [];
      const options = { apiKey, maxRetries: 0, onRequest: (event: unknown) => seen.push(event) };
      const call = new Petstore({ ...options, baseUrl: 'http://127.0.0.1:9/v1' }).orders.get(1);
      const err = await call.catch((error: unknown) => error);
      expect(err).toBeInstanceOf(AuthenticationError);
      expect(err).toMatchObject({ code: 'invalid_api_key' });
      expect(inspect([err, seen], { depth: 9 })).not.toContain('psk_secr');
    },
  );

  it('of an unknown code and status passes through', async () => {
    const fetch = scriptedFetch([{ status: 418, body: { code: 'teapot', message: 'Tea.' } }]);
    const err = await storeOver(fetch)
      .orders.get(1)
      .catch((error: unknown) => error);
    expect(err).toBeInstanceOf(PetstoreError);
    expect(err).not.toBeInstanceOf(RateLimitError);
    expect(err).toMatchObject({ code: 'teapot', status: 418 });
  });
});

describe('an attempt', () => {
  it('is reported after it has ended, with its outcome', async () => {
    const events: object[] = [];
    const lost = new TypeError('fetch failed');
    const ok = { status: 201, body: order, headers: { 'x-request-id': 'r2' } };
    const fetch = scriptedFetch([lost, refusal(503, 'overloaded'), ok]);
    const store = storeOver(fetch, { onRequest: (event: object) => events.push(event) });
    const placed = store.orders.place({ petId: 1 });
    await vi.advanceTimersByTimeAsync(LONGEST_MS);
    await placed;
    const base = { method: 'POST', path: '/store/orders', durationMs: expect.any(Number) };
    expect(events).toEqual([
      { ...base, attempt: 0, error: expect.any(ConnectionError) },
      { ...base, attempt: 1, status: 503, requestId: undefined, error: expect.any(ServerError) },
      { ...base, attempt: 2, status: 201, requestId: 'r2' },
    ]);
  });

  it('is preceded by a notice of its wait', async () => {
    const waits: number[] = [];
    const refused = refusal(429, 'rate_limit_exceeded', { 'retry-after': '7' });
    const fetch = scriptedFetch([refused, { body: order }]);
    const got = storeOver(fetch, { onWait: (ms: number) => waits.push(ms) }).orders.get(1);
    await vi.advanceTimersByTimeAsync(LONGEST_MS);
    await got;
    expect(waits[0]).toBeGreaterThanOrEqual(7_000);
  });

  it('that refuses a list is an error also where none of its records are wanted', async () => {
    const fetch = scriptedFetch([refusal(401, 'invalid_api_key'), { body: [{ id: 1 }] }]);
    const store = storeOver(fetch);
    await expect(store.pets.list().toArray({ limit: 0 })).rejects.toThrow(AuthenticationError);
    expect(await store.pets.list().toArray({ limit: 0 })).toEqual([]);
  });

  it('of a list that has not changed gives no data', async () => {
    const fetch = scriptedFetch([{ status: 304 }]);
    const list = storeOver(fetch).pets.list({}, { ifNoneMatch: '"1"' });
    const { data, response } = await list.withResponse();
    expect([data, response.status]).toEqual([undefined, 304]);
    expect(await list.toArray({ limit: 1 })).toEqual([]);
  });

  it('needs no randomUUID, which pages without HTTPS lack', async () => {
    const getRandomValues = crypto.getRandomValues.bind(crypto);
    vi.stubGlobal('crypto', { getRandomValues });
    const fetch = scriptedFetch([{ status: 201, body: order }]);
    await storeOver(fetch).orders.place({ petId: 1 });
    vi.unstubAllGlobals();
    expect(fetch.requests[0]!.headers.get('idempotency-key')).toMatch(/^\d+(-\d+){3}$/);
  });
});
