import { Writable } from 'node:stream';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Refusal } from '../../src/domain/errors.ts';
import { EventStream } from '../../src/http/response/event-stream.ts';
import type { StreamBatch, StreamSource } from '../../src/operations/success.ts';

const NEVER = 1_000_000;
const times = { heartbeatMs: NEVER, stuckMs: NEVER, retryReadMs: 1, lifeMs: NEVER };

/** A feed of numbers, of which a filter may let only some through. */
class Feed implements Omit<StreamSource, 'open'> {
  readonly start = '0';
  last = 0;
  isAllowed = async () => true;
  listeners = new Set<() => void>();
  reads = 0;
  failure: unknown;
  readonly #passes: (number: number) => boolean;
  #after = 0;

  constructor(passes = (_: number) => true) {
    this.#passes = passes;
  }

  async read(): Promise<StreamBatch> {
    this.reads += 1;
    if (this.failure) throw this.failure;
    const to = Math.min(this.last, this.#after + 3);
    const numbers = Array.from({ length: to - this.#after }, (_, at) => this.#after + at + 1);
    this.#after = to;
    const passed = numbers.filter(this.#passes).map(String);
    const events = passed.map((id) => ({ id, data: '{}' }));
    return { events, cursor: String(to), hasMore: to < this.last };
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  grow(to: number): void {
    this.last = to;
    for (const listener of this.listeners) listener();
  }
}

/** Takes what is written only while the valve is open. */
class Client extends Writable {
  text = '';
  isOpen = true;
  #waiting: (() => void) | undefined;

  override _write(chunk: Buffer, _: string, done: () => void): void {
    const take = () => {
      this.text += chunk.toString();
      done();
    };
    if (this.isOpen) take();
    else this.#waiting = take;
  }

  open(): void {
    this.isOpen = true;
    this.#waiting?.();
  }

  get ids(): number[] {
    return [...this.text.matchAll(/^id: (\d+)\ndata/gm)].map(([, id]) => Number(id));
  }

  async has(text: string): Promise<void> {
    while (!this.text.includes(text)) await pause(1);
  }
}

it('begins with its place and the time to come back after, then sends each event once, in order', async () => {
  const [feed, client] = [new Feed(), new Client()];
  feed.last = 10;
  const stream = new EventStream(client, feed, times);
  const ended = stream.run();
  await client.has('id: 10\n');
  expect(client.text.startsWith('retry: 3000\nid: 0\n\nid: 1\ndata: {}\n\n')).toBe(true);
  for (let last = 11; last <= 40; last += 1) feed.grow(last);
  await client.has('id: 40\n');
  expect(client.ids).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
  client.destroy();
  await ended;
  expect(feed.listeners.size).toBe(0);
});

it('sends a comment when it was quiet, and a bare id when the filter has passed events over', async () => {
  const [feed, client] = [new Feed((number) => number === 2), new Client()];
  const stream = new EventStream(client, feed, { ...times, heartbeatMs: 20 });
  const ended = stream.run();
  await client.has('\n\n:\n\n');
  feed.grow(2);
  await client.has('id: 2\ndata: {}\n\n');
  feed.grow(9);
  await client.has('id: 9\n\n');
  await client.has('id: 9\n\n:\n\n');
  expect(client.ids).toEqual([2]);
  client.destroy();
  await ended;
});

it('sends a bare id between pages too, while it catches up and the filter passes nothing', async () => {
  const [feed, client] = [new Feed((number) => number === 8), new Client()];
  feed.last = 12;
  const ended = new EventStream(client, feed, { ...times, heartbeatMs: 0 }).run();
  await client.has('id: 12\n\n');
  const catchingUp = 'id: 0\n\nid: 3\n\nid: 6\n\nid: 8\ndata: {}\n\nid: 9\n\nid: 12\n\n';
  expect(client.text.startsWith(`retry: 3000\n${catchingUp}`)).toBe(true);
  client.destroy();
  await ended;
});

it('sends a bare id too while new events come all the time and the filter passes nothing', async () => {
  const [feed, client] = [new Feed(() => false), new Client()];
  const read = feed.read.bind(feed);
  feed.read = async () => {
    const batch = await read();
    // There is one more whenever the stream has read to the end.
    if (feed.last < 1_000) feed.grow(feed.last + 1);
    return batch;
  };
  const ended = new EventStream(client, feed, { ...times, heartbeatMs: 0 }).run();
  await client.has('id: 1000\n\n');
  expect(client.text).toContain('id: 500\n\n');
  client.destroy();
  await ended;
});

it('lets other work run between pages, although storage answers at once', async () => {
  const [feed, client] = [new Feed(() => false), new Client()];
  feed.last = 3_000;
  const ended = new EventStream(client, feed, { ...times, heartbeatMs: 20 }).run();
  await setImmediate();
  expect(feed.reads).toBeLessThan(10);
  await client.has('id: 3000\n\n');
  client.destroy();
  await ended;
});

it('reads no further while its client takes nothing, and cuts it off', async () => {
  const [feed, client] = [new Feed(), new Client()];
  feed.last = 1_000_000;
  client.isOpen = false;
  await new EventStream(client, feed, { ...times, stuckMs: 30 }).run();
  expect(client.destroyed).toBe(true);
  expect(feed.reads).toBe(0);
  expect(feed.listeners.size).toBe(0);
});

it('goes on when a slow client takes something again', async () => {
  const [feed, client] = [new Feed(), new Client()];
  const stream = new EventStream(client, feed, times);
  const ended = stream.run();
  await client.has('retry');
  client.isOpen = false;
  feed.grow(9);
  await pause(20);
  expect(feed.reads).toBeLessThan(4);
  client.open();
  await client.has('id: 9\n');
  expect(client.ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  client.destroy();
  await ended;
});

it('ends when the connection closes while it waits for the client', async () => {
  const [feed, client] = [new Feed(), new Client()];
  client.isOpen = false;
  const ended = new EventStream(client, feed, times).run();
  await pause(5);
  client.destroy();
  await ended;
  expect(feed.listeners.size).toBe(0);
});

it('sends nothing once the key is not allowed any more, also in the middle of catching up', async () => {
  const [feed, client] = [new Feed(), new Client()];
  feed.last = 1_000;
  let batches = 0;
  feed.isAllowed = async () => {
    batches += 1;
    return batches <= 5;
  };
  await new EventStream(client, feed, times).run();
  expect(client.ids).toHaveLength(15);
  expect(client.writableEnded).toBe(true);
});

it('is ended by the next heartbeat when the key is not allowed any more', async () => {
  const [feed, client] = [new Feed(), new Client()];
  feed.isAllowed = async () => false;
  await new EventStream(client, feed, { ...times, heartbeatMs: 5 }).run();
  expect(client.text).toBe('retry: 3000\nid: 0\n\n');
});

it('tells its client when to come back, and ends, when the node stops', async () => {
  const [feed, client] = [new Feed(), new Client()];
  const stream = new EventStream(client, feed, times);
  const ended = stream.run();
  await client.has('retry: 3000\nid: 0\n\n');
  stream.stop(1_234.5);
  await ended;
  expect(client.text).toBe('retry: 3000\nid: 0\n\nretry: 1235\n\n');
  expect(client.writableEnded).toBe(true);
});

it('lasts for a time and no longer', async () => {
  const [feed, client] = [new Feed(), new Client()];
  await new EventStream(client, feed, { ...times, lifeMs: 5 }).run();
  expect(client.writableEnded).toBe(true);
});

it('stays while storage is away, goes on with heartbeats, and then sends everything', async () => {
  const [feed, client] = [new Feed(), new Client()];
  feed.failure = new Error('away');
  feed.last = 5;
  feed.isAllowed = async () => {
    if (feed.failure) throw feed.failure;
    return true;
  };
  const stream = new EventStream(client, feed, { ...times, heartbeatMs: 10 });
  const ended = stream.run();
  await client.has(':\n\n:\n\n');
  feed.failure = undefined;
  await client.has('id: 5\n');
  expect(client.ids).toEqual([1, 2, 3, 4, 5]);
  client.destroy();
  await ended;
});

it('stays while storage is away although the filter has passed events over', async () => {
  const [feed, client] = [new Feed((number) => number === 2), new Client()];
  const ended = new EventStream(client, feed, { ...times, heartbeatMs: 20 }).run();
  feed.grow(2);
  await client.has('id: 2\ndata: {}\n\n');
  feed.isAllowed = () => Promise.reject(new Error('away'));
  feed.grow(9);
  await client.has('id: 9\n\n:\n\n');
  client.destroy();
  await ended;
});

it('ends when its place in the feed is gone', async () => {
  const [feed, client] = [new Feed(), new Client()];
  feed.failure = new Refusal('events_expired');
  await new EventStream(client, feed, times).run();
  expect(client.writableEnded).toBe(true);
});
