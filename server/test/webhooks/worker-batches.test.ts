import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../src/domain/event.ts';
import { eventId } from '../../src/domain/event-cursor.ts';
import { named } from '../datastore/suite-events.ts';
import { DeliveryWorld, START } from './delivery-world.ts';
import { httpReceiver } from './receivers.ts';
import { idsIn, namesIn, newReceiver } from './scripted-receiver.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('a batch', () => {
  const openBatch = async (count: number, batchMax: number) => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    await world.append(...Array.from({ length: count }, (_, at) => at));
    const { id } = await world.addWebhook(receiver.url, { batchMax });
    return { world, receiver, id };
  };

  it('carries as many events as the webhook takes, in order', async () => {
    const { world, receiver } = await openBatch(7, 3);
    await world.work();
    expect(receiver.received.map((request) => namesIn([request]))).toEqual([
      [0, 1, 2],
      [3, 4, 5],
      [6],
    ]);
    const events = await world.events();
    expect(idsIn(receiver.received)).toEqual([
      `${eventId(events[0]!)}-3`,
      `${eventId(events[3]!)}-6`,
      `${eventId(events[6]!)}-7`,
    ]);
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      type: 'events.batch',
      timestamp: '2026-11-15T09:00:00.002Z',
    });
  });

  it('is the same on a retry, whatever has come or was changed since', async () => {
    const { world, receiver, id } = await openBatch(2, 5);
    receiver.answers.statusOf = () => 503;
    await world.work();
    await world.append(2, 3);
    await world.store.transact(async (tx) => {
      const webhook = (await tx.webhooks.findAndLock(world.workspaceId, id))!;
      await tx.webhooks.update({ ...webhook, batchMax: 1 });
    });
    receiver.answers.statusOf = () => 200;
    await world.workFor(10 * SECOND_MS);
    const [first, again, ...rest] = receiver.received;
    expect(again!.body).toBe(first!.body);
    expect(again!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(rest.map((request) => namesIn([request]))).toEqual([[2], [3]]);
    expect(JSON.parse(rest[0]!.body).type).toBe('category.created');
  });

  it('is not made of a single event that is tried again', async () => {
    const { world, receiver, id } = await openBatch(3, 1);
    receiver.answers.statusOf = () => (receiver.received.length <= 2 ? 503 : 200);
    await world.work();
    await world.store.transact(async (tx) => {
      const webhook = (await tx.webhooks.findAndLock(world.workspaceId, id))!;
      await tx.webhooks.update({ ...webhook, batchMax: 5 });
    });
    await world.workFor(60 * SECOND_MS);
    const [first, ...rest] = receiver.received;
    const events = rest.map((request) => namesIn([request]));
    expect(events).toEqual([[0], [0], [1, 2]]);
    for (const again of rest.slice(0, 2)) expect(again.body).toBe(first!.body);
    expect(new Set(idsIn(receiver.received)).size).toBe(2);
  });

  it('is the same on a retry, however far apart its events are in the feed', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    const wanted = [49, 50, 60, 1_090];
    const events = Array.from({ length: 1_200 }, (_, at): NewEvent => {
      const type = wanted.includes(at + 1) ? 'category.created' : 'category.deleted';
      return { ...named(at + 1), type };
    });
    await world.store.transact((tx) => tx.events.append(world.workspaceId, events));
    await world.addWebhook(receiver.url, { batchMax: 2, types: ['category.created'] });
    receiver.answers.statusOf = () => (receiver.received.length === 2 ? 503 : 200);
    await world.workFor(10 * SECOND_MS);
    expect(receiver.received.map((request) => namesIn([request]))).toEqual([
      [49, 50],
      [60, 1_090],
      [60, 1_090],
    ]);
    expect(receiver.received[2]!.body).toBe(receiver.received[1]!.body);
  });

  it('is kept before its first try, so that it is the same after a crash', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b');
    const receiver = await httpReceiver((_, response) => {
      if (receiver.received.length === 1) first.abandon();
      else response.end();
    });
    const { id } = await world.addWebhook(receiver.url, { batchMax: 5 });
    const [lease] = await world.claim();
    const first = world.worker(lease!);
    await first.run();
    await world.append('c');
    await world.work();
    expect(receiver.received.map((request) => namesIn([request]))).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['c'],
    ]);
    expect(receiver.received[1]!.body).toBe(receiver.received[0]!.body);
    expect((await world.webhook(id)).cursor).toBe(3);
  });

  it('holds at most 256 KiB, unless one event alone is larger', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    const large = 'x'.repeat(100_000);
    await world.append(`${large}1`, `${large}2`, `${large}3`, 'y'.repeat(300_000), 'z');
    await world.addWebhook(receiver.url, { batchMax: 100 });
    await world.work();
    const sizes = receiver.received.map((request) => namesIn([request]).length);
    expect(sizes).toEqual([2, 1, 1, 1]);
  });
});

it('a batch holds at most 256 KiB with all that is around its events', async () => {
  const world = await DeliveryWorld.open();
  const receiver = await newReceiver();
  await world.append('x', 'x');
  const around = Buffer.byteLength((await world.events())[1]!.text) - 1;
  // The texts of two such events have just the size that is allowed.
  const half = 'x'.repeat(128 * 1024 - around);
  await world.append(half, half);
  const pair = (await world.events()).slice(-2);
  expect(Buffer.byteLength(pair.map(({ text }) => text).join(''))).toBe(256 * 1024);
  const cursor = (await world.events()).length - 2;
  await world.addWebhook(receiver.url, { batchMax: 100, cursor });
  await world.work();
  expect(receiver.received).toHaveLength(2);
  for (const { body } of receiver.received) {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(256 * 1024);
  }
});

describe('verification', () => {
  it('pings until it is answered, and only then delivers', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = () => 500;
    await world.append('a');
    const { id } = await world.addWebhook(receiver.url, { state: 'unverified', isVerified: false });
    await world.workFor(60 * SECOND_MS);
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject(
      Array(3).fill({ type: 'ping', data: { webhookId: id } }),
    );
    for (const webhookId of idsIn(receiver.received)) expect(webhookId).toMatch(/^ping_[\w-]{16}$/);
    receiver.answers.statusOf = () => 204;
    await world.workFor(300 * SECOND_MS);
    expect(await world.webhook(id)).toMatchObject({
      state: 'enabled',
      isVerified: true,
      cursor: 1,
    });
    expect(namesIn(receiver.taken)).toEqual([undefined, 'a']);
  });

  it('gives up after a day', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = () => 404;
    const { id } = await world.addWebhook(receiver.url, { state: 'unverified', isVerified: false });
    await world.workFor(2 * DAY_MS);
    expect(await world.webhook(id)).toMatchObject({ state: 'disabled', stateReason: 'unverified' });
    const emitted = await world.emitted();
    expect(emitted.map(({ type, at }) => [type, at - START])).toEqual([
      ['webhook.disabled', DAY_MS],
    ]);
  });

  it('asks for the challenge where that is required', async () => {
    const world = await DeliveryWorld.open({ verification: 'challenge' });
    const receiver = await httpReceiver(({ body }, response) => {
      const { data } = JSON.parse(body);
      response.end(receiver.received.length > 2 ? JSON.stringify(data) : 'ok');
    });
    const { id } = await world.addWebhook(receiver.url, { state: 'unverified', isVerified: false });
    await world.workFor(10 * SECOND_MS);
    expect(await world.webhook(id)).toMatchObject({ state: 'unverified', failures: 2 });
    await world.workFor(60 * SECOND_MS);
    expect(await world.webhook(id)).toMatchObject({ state: 'enabled', failures: 0 });
    const challenges = receiver.received.map(({ body }) => JSON.parse(body).data.challenge);
    expect(new Set(challenges).size).toBe(3);
  });
});
