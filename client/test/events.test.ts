import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type TestApp, testApp } from '../../server/test/support/app.ts';
import { type PetstoreEvent as Event, Petstore, PetstoreError } from '../src/petstore.ts';
import type { ScriptedResponse } from '../src/testing.ts';

let app: TestApp;
let store: Petstore;

beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  store = new Petstore({ apiKey: app.key, baseUrl: `${app.address}/v1` });
});

async function takeSequences(stream: AsyncIterable<Event>, count: number): Promise<number[]> {
  const sequences: number[] = [];
  for await (const event of stream) {
    if (sequences.push(event.sequence) === count) break;
  }
  return sequences;
}

describe('the events of a workspace', () => {
  it('are listed to the end, which is where a list stops', async () => {
    for (let n = 0; n < 5; n++) await store.categories.create({ name: `Listed ${n}` });
    const types: string[] = [];
    for await (const event of store.events.list({ limit: 2, type: ['category.*'] })) {
      types.push(event.type);
    }
    expect(types).toEqual(Array(5).fill('category.created'));
  });

  it('are streamed as they happen, each once and in order', async () => {
    const controller = new AbortController();
    const stream = store.events.stream({ after: '0' }, { signal: controller.signal });
    const taking = takeSequences(stream, 10);
    for (let n = 0; n < 6; n++) await store.categories.create({ name: `Streamed ${n}` });
    const sequences = await taking;
    controller.abort();
    expect(sequences).toEqual(sequences.map((_, at) => sequences[0]! + at));
  });

  it('go on after the last one that was received when a connection is lost', async () => {
    let connections = 0;
    const cutting = (async (input: string, init: RequestInit) => {
      connections += 1;
      const response = await fetch(input, init);
      if (connections > 1) return response;
      return new Response(response.body!.pipeThrough(cutAfterBlocks(3)), response);
    }) as typeof fetch;
    const lossy = new Petstore({ apiKey: app.key, baseUrl: `${app.address}/v1`, fetch: cutting });
    const controller = new AbortController();
    const stream = lossy.events.stream({ after: '0' }, { signal: controller.signal });
    const sequences = await takeSequences(stream, 8);
    controller.abort();
    expect(connections).toBe(2);
    expect(sequences).toEqual(sequences.map((_, at) => sequences[0]! + at));
  });

  it('are asked for again when a connection is not opened', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const signals: AbortSignal[] = [];
    const hanging = ((_: string, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    }) as typeof fetch;
    const silent = new Petstore({
      apiKey: 'psk_test',
      baseUrl: 'http://127.0.0.1:1/v1',
      fetch: hanging,
    });
    const controller = new AbortController();
    const stream = silent.events.stream({ after: '0' }, { signal: controller.signal });
    const ended = stream.next().catch((err: unknown) => err);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    controller.abort();
    expect(await ended).toBe(controller.signal.reason);
  });

  it('report a wait once per outage, and again when it grows', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const down = new TypeError('fetch failed');
    const refused = { status: 429, headers: { 'retry-after': '60' } };
    const script: (Error | ScriptedResponse)[] = [
      down,
      down,
      { status: 503 },
      refused,
      refused,
      {},
      down,
    ];
    const waits: [number, unknown][] = [];
    let requests = 0;
    const failing = (async () => {
      const next = script[requests++] ?? down;
      if (next instanceof Error) throw next;
      const headers = { 'content-type': 'text/event-stream', ...next.headers };
      return new Response(': alive\nretry: 3000\n\n', { ...next, headers });
    }) as typeof fetch;
    const controller = new AbortController();
    const stream = new Petstore({
      apiKey: 'psk_test',
      fetch: failing,
      onWait: (ms, err) => void waits.push([ms, err]),
    }).events.stream({ after: '0' }, { signal: controller.signal });
    const ended = stream.next().catch(() => 'ended');
    await vi.advanceTimersByTimeAsync(160_000);
    controller.abort();
    expect(await ended).toBe('ended');
    expect(requests).toBeGreaterThan(script.length);
    expect(waits).toEqual([
      [3_000, expect.objectContaining({ cause: down })],
      [60_000, expect.objectContaining({ status: 429 })],
      [3_000, expect.objectContaining({ cause: down })],
    ]);
  });

  it('are not asked for at once when `retry` is no number or more than a timer holds', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    for (const [retry, count] of [
      ['soon', 2],
      ['-1', 2],
      ['', 2],
      ['9999999999', 1],
    ] as const) {
      let requests = 0;
      const ending = (async () => {
        requests += 1;
        const headers = { 'content-type': 'text/event-stream' };
        return new Response(`retry: ${retry}\n\n`, { headers });
      }) as typeof fetch;
      const controller = new AbortController();
      const stream = new Petstore({ apiKey: 'psk_test', fetch: ending }).events.stream(
        { after: '0' },
        { signal: controller.signal },
      );
      const ended = stream.next().catch(() => 'ended');
      await vi.advanceTimersByTimeAsync(5_000);
      controller.abort();
      expect(await ended).toBe('ended');
      expect(requests, retry).toBe(count);
    }
  });

  it('end with an error that a retry cannot fix', async () => {
    const stream = store.events.stream({ after: 'evt_nonsense' });
    const err = await stream.next().catch((error: unknown) => error);
    expect(err).toBeInstanceOf(PetstoreError);
    expect(err).toMatchObject({ status: 400 });
  });
});

/** Ends the body behind the first blocks, in the middle of the next one. */
function cutAfterBlocks(count: number): TransformStream<Uint8Array, Uint8Array> {
  let blocks = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const text = new TextDecoder().decode(chunk);
      const kept: string[] = [];
      for (const block of text.split('\n\n')) {
        kept.push(block);
        blocks += 1;
        if (blocks > count) {
          controller.enqueue(new TextEncoder().encode(`${kept.join('\n\n').slice(0, -3)}`));
          controller.terminate();
          return;
        }
      }
      controller.enqueue(chunk);
    },
  });
}
