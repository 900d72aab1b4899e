import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectDocumented, expectError } from '../../support/contract.ts';
import { openRawStream, StreamReader } from './stream-reader.ts';

let app: TestApp;
let count = 0;

beforeAll(async () => {
  app = await testApp();
});

beforeEach(() => app.clock.advance(61_000));

async function createCategory(): Promise<void> {
  count += 1;
  const { status } = await app.call('POST', '/v1/categories', { body: { name: `c${count}` } });
  expect(status).toBe(201);
}

async function latest(): Promise<number> {
  const { headers } = await app.call('GET', '/v1/events?after=latest');
  return Number(headers.get('events-cursor')!.split('_')[2]);
}

function refused(search: string, options: { key?: string; headers?: Record<string, string> } = {}) {
  return app.call('GET', `/v1/events/stream${search}`, options);
}

describe('streamEvents', () => {
  it('sends what happens after it began, with headers that keep it from being buffered', async () => {
    await createCategory();
    const answer = await app.call('GET', '/v1/events/stream');
    expectDocumented('streamEvents', answer);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    expect(answer.text).toMatch(/^retry: 3000\nid: evt_1_\d+_\w+\n\n$/);
    const stream = await StreamReader.open(app);
    await createCategory();
    await stream.has(1);
    const [event] = stream.events;
    expect(event).toMatchObject({
      type: 'category.created',
      data: { category: { name: `c${count}` } },
    });
    expect(stream.lastId).toBe(event!.id);
    expect(stream.retryMs).toBe(3_000);
    const { body } = await app.call('GET', `/v1/events/${event!.id}`);
    expect(body).toEqual(event);
    stream.close();
  });

  it('catches up from a place and then follows, with nothing missing and nothing twice', async () => {
    const before = await latest();
    for (let at = 0; at < 120; at += 1) await createCategory();
    const stream = await StreamReader.open(app, `?after=${before}`);
    const following = Promise.all(Array.from({ length: 60 }, () => createCategory()));
    await stream.has(180);
    await following;
    const numbers = stream.events.map(({ sequence }) => sequence);
    expect(numbers).toEqual(Array.from({ length: 180 }, (_, at) => before + 1 + at));
    stream.close();
  });

  it('goes on from Last-Event-ID, which wins over after', async () => {
    const before = await latest();
    await createCategory();
    await createCategory();
    const first = (await app.call('GET', `/v1/events?after=${before}&limit=1`)).body[0].id;
    const stream = await StreamReader.open(app, '?after=0', { 'last-event-id': first });
    await stream.has(1);
    expect(stream.events[0]!.sequence).toBe(before + 2);
    stream.close();
  });

  it('sends what a change of another process wrote', async () => {
    const stream = await StreamReader.open(app);
    await app.transact((tx) =>
      tx.events.append(1, [{ type: 'limit.warning', at: 1, data: { limit: 'day', resetAt: 0 } }]),
    );
    await stream.has(1);
    expect(stream.events[0]!.type).toBe('limit.warning');
    stream.close();
  });

  it('sends only the types that are asked for', async () => {
    const stream = await StreamReader.open(app, '?type=pet.*');
    await createCategory();
    await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
    await stream.has(1);
    expect(stream.events.map(({ type }) => type)).toEqual(['pet.created']);
    stream.close();
  });

  it('refuses a place that cannot be read, before it begins', async () => {
    const unknown = await refused('?after=99999999');
    expectError(unknown, 'cursor_unknown');
    expectDocumented('streamEvents', unknown);
    expectError(await refused('?after=abc'), 'invalid_request');
    const header = await refused('', { headers: { 'last-event-id': 'abc' } });
    expectError(header, 'invalid_request');
    expect(header.body.details[0].field).toBe('Last-Event-ID');
  });

  it('goes on after a cut at any byte, with nothing missing and nothing twice', async () => {
    const before = await latest();
    for (let at = 0; at < 20; at += 1) await createCategory();
    const after = await latest();
    const seen: number[] = [];
    let lastId = `${before}`;
    for (let cuts = 0; seen.at(-1) !== after; cuts += 1) {
      if (cuts % 50 === 49) app.clock.advance(61_000);
      const reader = new StreamReader();
      const socket = await openRawStream(app, '', lastId);
      const bytes = await readSome(socket, 700 + ((cuts * 97) % 900));
      reader.take(withoutChunking(bytes));
      seen.push(...reader.events.map(({ sequence }) => sequence));
      if (reader.lastId !== '') lastId = reader.lastId;
    }
    expect(seen).toEqual(Array.from({ length: after - before }, (_, at) => before + 1 + at));
  });

  it('ends within the second when its key is revoked, and sends nothing more', async () => {
    const { body: key } = await app.call('POST', '/v1/keys', {
      body: { name: 'short', scopes: ['read'] },
    });
    const stream = await StreamReader.open({ address: app.address, key: key.key });
    await createCategory();
    await stream.has(1);
    await app.call('DELETE', `/v1/keys/${key.id}`);
    await pause(1_100);
    const seen = stream.events.length;
    await createCategory();
    await stream.until(({ isEnded }) => isEnded);
    expect(stream.events).toHaveLength(seen);
  });

  it('is refused beyond what the plan allows at once, which costs nothing', async () => {
    const { body } = await app.call('POST', '/v1/admin/workspaces', { body: { name: 'Small' } });
    const key: string = body.key.key;
    const small = { address: app.address, key };
    const streams = [await StreamReader.open(small), await StreamReader.open(small)];
    for (let at = 0; at < 70; at += 1) {
      const answer = await refused('', { key });
      expectError(answer, 'too_many_streams');
      if (at === 0) expectDocumented('streamEvents', answer);
    }
    expectError(
      await app.call('GET', '/v1/events?wait=1&after=latest', { key }),
      'too_many_streams',
    );
    expect((await app.call('GET', '/v1/events', { key })).status).toBe(200);
    streams[0]!.close();
    for (let isOpen = false; !isOpen; await pause(5)) {
      isOpen = (await app.call('GET', '/v1/events/stream', { key })).status === 200;
    }
    streams[1]!.close();
  });

  it('counts right after many abrupt disconnects', async () => {
    const { body } = await app.call('POST', '/v1/admin/workspaces', { body: { name: 'Abrupt' } });
    const other = { address: app.address, key: body.key.key as string };
    for (let at = 0; at < 100; at += 1) {
      if (at % 50 === 0) app.clock.advance(61_000);
      const socket = await openRawStream(other, '');
      // Within the head, which comes at once.
      if (at % 3 > 0) await readSome(socket, 1 + ((at * 31) % 400));
      socket.destroy();
    }
    app.clock.advance(61_000);
    for (let open = 0; open < 2; ) {
      try {
        await StreamReader.open(other);
        open += 1;
      } catch {
        await pause(5);
      }
    }
    expectError(await refused('', { key: other.key }), 'too_many_streams');
  });

  it('ends all streams and waiting polls when the node stops, and says when to come back', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => StreamReader.open(app)));
    const polls = Array.from({ length: 10 }, () =>
      app.call('GET', '/v1/events?after=latest&wait=25'),
    );
    await pause(50);
    await app.restart();
    for (const { status, body } of await Promise.all(polls))
      expect([status, body]).toEqual([200, []]);
    for (const stream of streams) {
      await stream.until(({ isEnded }) => isEnded);
      expect(stream.retryMs).toBeGreaterThanOrEqual(500);
      expect(stream.retryMs).toBeLessThanOrEqual(5_000);
    }
    // Not what each of them began with.
    expect(streams.some(({ retryMs }) => retryMs !== 3_000)).toBe(true);
    const lastId = streams[0]!.lastId;
    await createCategory();
    const again = await StreamReader.open(app, '', { 'last-event-id': lastId });
    await again.has(1);
    expect(again.events[0]!.type).toBe('category.created');
    again.close();
  });
});

/** Reads until so many bytes have come or nothing more comes, then cuts the connection. */
function readSome(socket: Socket, bytes: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const quiet = setTimeout(() => socket.destroy(), 500);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      quiet.refresh();
      if (text.length >= bytes) socket.destroy();
    });
    socket.once('close', () => {
      clearTimeout(quiet);
      resolve(text.slice(0, bytes));
    });
  });
}

/** The body of a chunked response that may be cut anywhere. */
function withoutChunking(text: string): string {
  const at = text.indexOf('\r\n\r\n');
  let rest = at < 0 ? '' : text.slice(at + 4);
  let body = '';
  for (;;) {
    const line = /^([0-9a-f]+)\r\n/.exec(rest);
    if (!line) return body;
    const start = line[0].length;
    const length = Number.parseInt(line[1]!, 16);
    body += rest.slice(start, start + length);
    rest = rest.slice(start + length + 2);
  }
}
