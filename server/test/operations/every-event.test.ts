// What every operation emits. The tests loop over the list of operations, so a write cannot forget its event.

import { beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import { operations } from '../../src/operations/operations.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { onOne } from '../support/effort.ts';
import { exampleRequests, optionsFor, World } from './example-requests.ts';
import { readFeeds } from './feeds.ts';

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_SIGNUP: 'open', PETSTORE_BAN_AFTER: '2' } });
  world = new World(app, app.key);
});

const named = (kind: Operation['kind']) =>
  operations
    .filter((operation) => operation.kind === kind)
    .map((operation) => [operation.id, operation] as const);
const reads = named('read');
const writes = named('write');

const example = (operation: Operation) => exampleRequests[operation.id]!(world);

describe('every operation and the feed', () => {
  it.each(writes)('%s declares the events that it emits', async (_, operation) => {
    const { path, body, options } = await example(operation);
    const before = await readFeeds(app);
    const answer = await app.call(operation.method, `/v1${path}`, {
      ...(body === undefined ? {} : { body }),
      ...options,
    });
    expect(answer.status, answer.text).toBe(operation.success.status);
    const emitted = (await readFeeds(app)).slice(before.length);
    expect(operation.events, 'declared').toBeDefined();
    const [first] = operation.events!;
    if (first !== undefined) expect(emitted, 'emitted').toContain(first);
    for (const type of emitted) expect(operation.events).toContain(type);
  });

  // A session that has ended is refused before its stored response is looked for.
  const replayed = writes.filter(([, { session }]) => session !== 'ends');
  it.each(replayed)('%s emits nothing when it is refused or replayed', async (id, operation) => {
    const request = await example(operation);
    const { path } = request;
    const own = operation.session ? { ...request, options: {} } : request;
    const options = optionsFor(own, { headers: { 'idempotency-key': `feed-${id}` } });
    await app.call(operation.method, `/v1${path}`, options);
    const before = await readFeeds(app);
    const replayed = await app.call(operation.method, `/v1${path}`, options);
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    const refused = await app.call(operation.method, `/v1${path}?colour=red`, options);
    expect(refused.status).toBe(400);
    expect(await readFeeds(app)).toEqual(before);
  });

  it.each(onOne(reads))('%s emits nothing', async (_, operation) => {
    const { path } = await example(operation);
    const before = await readFeeds(app);
    await app.call('GET', `/v1${path}`);
    expect(await readFeeds(app)).toEqual(before);
  });
});
