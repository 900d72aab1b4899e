import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import { OpenReaders } from '../../../src/services/events/open-readers.ts';
import { revokeKey } from '../../../src/services/keys.ts';
import { stopClock } from '../../account/still-clock.ts';
import { type Answer, type TestApp, testApp } from '../../support/app.ts';
import { expectDocumented, expectError } from '../../support/contract.ts';
import { openRawStream, StreamReader } from './stream-reader.ts';

const BAN_AFTER = 5;
const PER_MINUTE = 100;
/** How long the standing of a key is remembered. */
const FRESH_MS = 1_000;
let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    limits: { perMinute: PER_MINUTE, perDay: 1_000_000_000 },
    environment: { PETSTORE_BAN_AFTER: String(BAN_AFTER), PETSTORE_EVENT_STREAMS_MAX: '6' },
  });
  // A minute could end while its requests are counted. An answer may be judged long after it was made.
  stopClock(app, Date.now() + 3_600_000);
});

/** Written beside the service, so that it costs no request. */
function emit(count = 1, text = 'x'): Promise<void> {
  const category = { id: 1, name: text };
  const event = { type: 'category.created', at: Date.now(), data: { category } } as const;
  return app.transact((tx) => tx.events.append(1, Array(count).fill(event)));
}

async function newKey(expiresAt?: number): Promise<Reader> {
  const times = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() };
  const body = { name: 'reader', scopes: ['read'], ...times };
  const answer = await app.call('POST', '/v1/keys', { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

interface Reader {
  key: string;
  id: string;
}
type EndKey = (id: string) => Promise<unknown>;

/** Opens a stream, ends its key, and emits an event. */
async function expectStreamEnd({ key, id }: Reader, end: EndKey): Promise<void> {
  const stream = await StreamReader.open({ address: app.address, key });
  await emit();
  await stream.until(({ events }) => events.some(({ type }) => type === 'category.created'));
  await end(id);
  await pause(FRESH_MS + 100);
  app.clock.advance(FRESH_MS + 100);
  const seen = stream.events.length;
  await emit();
  await stream.until(({ isEnded }) => isEnded);
  expect(stream.events).toHaveLength(seen);
  expect((await app.call('GET', '/v1/events', { key })).status).not.toBe(200);
}

/** Waits for an event with a key that ends meanwhile. */
async function expectPollEnd({ key, id }: Reader, end: EndKey, code: ErrorCode): Promise<void> {
  const { headers } = await app.call('GET', '/v1/events?after=latest', { key });
  const after = headers.get('events-cursor');
  const take = vi.spyOn(OpenReaders.prototype, 'take');
  const poll = app.call('GET', `/v1/events?after=${after}&type=category.*&wait=25`, { key });
  await vi.waitUntil(() => take.mock.calls.length > 0, { timeout: 60_000 });
  take.mockRestore();
  await end(id);
  await pause(FRESH_MS + 100);
  app.clock.advance(FRESH_MS + 100);
  await emit();
  const answer = await poll;
  expectError(answer, code);
  expectDocumented('listEvents', answer);
  const next = await app.call('GET', '/v1/events', { key });
  expectError(next, code);
  if (code === 'key_banned') expect(rateHeadersOf(answer)).toEqual(rateHeadersOf(next));
}

function rateHeadersOf({ headers }: Answer): (string | null)[] {
  const names = ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}`);
  return [...names, 'ratelimit-policy', 'ratelimit'].map((name) => headers.get(name));
}

describe.each([
  ['a stream sends nothing', expectStreamEnd],
  ['a waiting poll is refused', expectPollEnd],
])('%s from a second later on', (_, expectEnd) => {
  it('when its key was revoked on another node', async () => {
    const now = Date.now();
    const revoke = (id: string) => app.transact((tx) => revokeKey(tx, { workspaceId: 1, id, now }));
    await expectEnd(await newKey(), revoke, 'invalid_api_key');
  });

  it('when its key has expired', async () => {
    const key = await newKey(app.clock.now() + 120_000);
    await expectEnd(key, async () => app.clock.advance(121_000), 'expired_api_key');
  });

  it('when its key was banned', async () => {
    const reader = await newKey();
    app.clock.advance(61_000);
    const ban = async () => {
      const statuses: number[] = [];
      for (let sent = 0; sent < PER_MINUTE + BAN_AFTER + 2; sent++) {
        statuses.push((await app.call('GET', '/v1/pets', { key: reader.key })).status);
      }
      expect(statuses.at(-1)).toBe(429);
    };
    await expectEnd(reader, ban, 'key_banned');
    app.clock.advance(86_400_000);
  });
});

it('a stream is opened and goes on when the quota is spent', async () => {
  const { key } = await newKey();
  app.clock.advance(61_000);
  for (let sent = 0; sent <= PER_MINUTE; sent++) await app.call('GET', '/v1/pets', { key });
  expect((await app.call('GET', '/v1/pets', { key })).status).toBe(429);
  const stream = await StreamReader.open({ address: app.address, key });
  await emit();
  await stream.has(1);
  stream.close();
  app.clock.advance(86_400_000);
});

it('a node has no more streams than it is set to, however many are opened and never read', async () => {
  const statuses: number[] = [];
  const sockets = await Promise.all(
    Array.from({ length: 30 }, () => openRawStream(app, '?after=0')),
  );
  for (const socket of sockets) {
    const [head] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    statuses.push(Number(head.toString('latin1', 9, 12)));
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(6);
  expect(statuses.filter((status) => status === 429)).toHaveLength(24);
  expectError(await app.call('GET', '/v1/events/stream'), 'too_many_streams');
  for (const socket of sockets) socket.destroy();
  for (let isOpen = false; !isOpen; await pause(5)) {
    app.clock.advance(61_000);
    isOpen = (await app.call('GET', '/v1/events/stream')).status === 200;
  }
});

it('a client that takes nothing holds up no other', async () => {
  app.clock.advance(61_000);
  const stuck = await openRawStream(app, '?after=0');
  stuck.pause();
  const stream = await StreamReader.open(app);
  const text = 'a long name '.repeat(2_000);
  for (let more = 0; more < 10; more++) await emit(100, text);
  await stream.has(1_000);
  expect(stream.events).toHaveLength(1_000);
  stuck.destroy();
  stream.close();
});
