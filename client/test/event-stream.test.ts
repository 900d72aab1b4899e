// The stream of events over connections that a test controls.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ConnectionError,
  type PetstoreEvent as Event,
  Petstore,
  type PetstoreOptions,
} from '../src/petstore.ts';

const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'r1' };
const block = (sequence: number) => `id: ${sequence}\ndata: {"sequence":${sequence}}\n\n`;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Connection = (signal: AbortSignal) => Response;

/** A connection that sends these chunks; then it ends, breaks off, or stays open. */
function chunked(chunks: readonly string[], end: 'ends' | 'breaks off' | 'stays open'): Connection {
  return (signal) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        if (end === 'ends') return controller.close();
        signal.addEventListener('abort', () => controller.error(signal.reason));
        // What was sent before is read first.
        const breakOff = () => controller.error(new TypeError('terminated'));
        if (end === 'breaks off') setTimeout(breakOff, 100);
      },
    });
    return new Response(body, { headers: HEADERS });
  };
}

/** A client whose connections are these; once they are used up there is none. */
function storeOver(script: readonly (Connection | Error)[], options: PetstoreOptions = {}) {
  const sent: Headers[] = [];
  const fetch = (async (_: string, init: RequestInit) => {
    sent.push(new Headers(init.headers));
    const next = script[sent.length - 1] ?? new TypeError('fetch failed');
    if (next instanceof Error) throw next;
    return next(init.signal!);
  }) as typeof globalThis.fetch;
  const baseUrl = 'http://store.test/v1';
  return { store: new Petstore({ apiKey: 'psk_test', baseUrl, fetch, ...options }), sent };
}

/** Reads to the end, and returns what was received and what was thrown. */
async function readAll(stream: AsyncIterable<Event>) {
  const sequences: number[] = [];
  try {
    for await (const { sequence } of stream) sequences.push(sequence);
    return { sequences, error: undefined };
  } catch (error) {
    return { sequences, error };
  }
}

describe('a stream of events', () => {
  it('ends with an error on an event that is not JSON, which another request would bring again', async () => {
    const broken = 'id: 2\ndata: {"sequence":\n\n';
    const { store, sent } = storeOver([chunked([block(1), broken], 'stays open')]);
    const reading = readAll(store.events.stream());
    await vi.advanceTimersByTimeAsync(60_000);
    const { sequences, error } = await reading;
    expect(sequences).toEqual([1]);
    expect(error).toMatchObject({ code: 'unexpected_answer', status: 200, requestId: 'r1' });
    expect((error as Error).message).toContain('An event is not JSON: {"sequence":');
    expect(sent).toHaveLength(1);
  });

  it('ends with an error on a response that is no stream, such as a page of a proxy', async () => {
    const headers = { 'content-type': 'text/html' };
    const page = () => new Response('<html>\n\nSign in\n\n</html>', { headers });
    const { store, sent } = storeOver([page]);
    const reading = readAll(store.events.stream());
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await reading).error).toMatchObject({
      code: 'unexpected_answer',
      message: expect.stringContaining('HTTP 200: "text/html" is no stream of events.'),
    });
    expect(sent).toHaveLength(1);
  });

  it('ends with what the function that gives the key throws', async () => {
    const sealed = new Error('The vault is sealed.');
    const { store, sent } = storeOver([], { apiKey: () => Promise.reject(sealed) });
    const reading = readAll(store.events.stream());
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await reading).error).toBe(sealed);
    expect(sent).toHaveLength(0);
  });

  it('goes on after the last event when a connection breaks off', async () => {
    const { store, sent } = storeOver([
      chunked([block(1), block(2)], 'breaks off'),
      chunked([block(3)], 'stays open'),
    ]);
    const controller = new AbortController();
    const reading = readAll(store.events.stream({}, { signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(5_000);
    controller.abort();
    expect((await reading).sequences).toEqual([1, 2, 3]);
    expect(sent.map((headers) => headers.get('last-event-id'))).toEqual([null, '2']);
  });

  it('does not ask again before Retry-After, and after that as often as before', async () => {
    const busy = () => new Response('', { status: 503, headers: { 'retry-after': '20' } });
    const { store, sent } = storeOver([busy]);
    const controller = new AbortController();
    const reading = readAll(store.events.stream({}, { signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(19_000);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(sent).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(sent).toHaveLength(4);
    controller.abort();
    await reading;
  });

  it('reports each connection when it is open or has failed', async () => {
    const seen: object[] = [];
    const { store } = storeOver(
      [
        new TypeError('fetch failed'),
        () => new Response('', { status: 503 }),
        chunked([], 'stays open'),
      ],
      { onRequest: (event) => seen.push(event) },
    );
    const controller = new AbortController();
    const stream = store.events.stream({ after: '7' }, { signal: controller.signal });
    const reading = readAll(stream);
    await vi.advanceTimersByTimeAsync(10_000);
    const base = {
      method: 'GET',
      path: '/events/stream?after=7',
      durationMs: expect.any(Number),
    };
    expect(seen).toEqual([
      { ...base, attempt: 0, error: expect.any(ConnectionError) },
      { ...base, attempt: 1, status: 503, error: expect.objectContaining({ status: 503 }) },
      { ...base, attempt: 2, status: 200, requestId: 'r1' },
    ]);
    controller.abort();
    await reading;
  });

  it('says when it is connected and when it is not', async () => {
    const { store } = storeOver([
      new TypeError('fetch failed'),
      chunked([block(1)], 'ends'),
      chunked([block(2)], 'breaks off'),
      chunked([block(3)], 'stays open'),
    ]);
    const controller = new AbortController();
    const states: string[] = [];
    const reading = readAll(
      store.events.stream(
        {},
        {
          signal: controller.signal,
          onOpen: () => states.push('open'),
          onClose: () => states.push('closed'),
        },
      ),
    );
    await vi.advanceTimersByTimeAsync(1_000);
    expect(states).toEqual([]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(states).toEqual(['open', 'closed']);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(states).toEqual(['open', 'closed', 'open', 'closed', 'open']);
    // A connection on which nothing arrives is lost.
    await vi.advanceTimersByTimeAsync(46_000);
    expect(states.slice(5)).toEqual(['closed']);
    controller.abort();
    expect((await reading).sequences).toEqual([1, 2, 3]);
    expect(states).toHaveLength(6);
  });

  it.each(['break', 'abort', 'error'])('is closed by the end of the reading: %s', async (end) => {
    const broken = 'data: {\n\n';
    const chunks = end === 'error' ? [block(1), broken] : [block(1)];
    const { store } = storeOver([chunked(chunks, 'stays open')]);
    const controller = new AbortController();
    const states: string[] = [];
    const options = {
      signal: controller.signal,
      onOpen: () => states.push('open'),
      onClose: () => states.push('closed'),
    };
    const read = async () => {
      for await (const { sequence } of store.events.stream({}, options)) {
        expect([sequence, states]).toEqual([1, ['open']]);
        if (end === 'break') break;
        if (end === 'abort') controller.abort();
      }
    };
    const ended = read().catch(() => {});
    await vi.advanceTimersByTimeAsync(1_000);
    await ended;
    expect(states).toEqual(['open', 'closed']);
  });
});
