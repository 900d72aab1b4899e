import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { eventId } from '../../src/domain/event-cursor.ts';
import { ticksDuring } from '../support/ticks.ts';
import { DeliveryWorld, START } from './delivery-world.ts';
import { httpReceiver } from './receivers.ts';
import { idsIn, namesIn, newReceiver } from './scripted-receiver.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('a webhook', () => {
  it('is sent every event behind its cursor, in order, signed, each in a request of its own', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    await world.append('before', 'a', 'Zoë 🐕', 'c');
    const { id } = await world.addWebhook(receiver.url, { cursor: 1 });
    await world.work();
    const events = await world.events();
    expect(namesIn(receiver.received)).toEqual(['a', 'Zoë 🐕', 'c']);
    expect(idsIn(receiver.received)).toEqual(events.slice(1).map(eventId));
    expect(receiver.received.map(({ body }) => body)).toEqual(
      events.slice(1).map(({ text }) => text),
    );
    for (const { body, headers } of receiver.received) {
      expect(headers['webhook-timestamp']).toBe(String(Math.floor(world.now / 1000)));
      const expected = new Webhook(world.secret).sign(
        String(headers['webhook-id']),
        new Date(Number(headers['webhook-timestamp']) * 1000),
        body,
      );
      expect(headers['webhook-signature']).toBe(expected);
    }
    expect(await world.webhook(id)).toMatchObject({ cursor: 4, state: 'enabled', failures: 0 });
    expect(await world.attempts(id)).toMatchObject(
      [2, 3, 4].map((sequence) => {
        return {
          firstSequence: sequence,
          lastSequence: sequence,
          attempt: 1,
          outcome: 'delivered',
        };
      }),
    );
  });

  it('is passed over by what it does not want, and its cursor moves all the same', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    await world.append(...Array.from({ length: 250 }, (_, at) => at));
    const orders = await world.addWebhook(receiver.url, { types: ['order.*', 'pet.created'] });
    await world.workFor(10 * SECOND_MS);
    expect(receiver.received).toEqual([]);
    expect(await world.webhook(orders.id)).toMatchObject({ cursor: 250 });
    const categories = await world.addWebhook(receiver.url, { types: ['category.*'], cursor: 249 });
    await world.work();
    expect(namesIn(receiver.received)).toEqual([249]);
    expect((await world.webhook(categories.id)).cursor).toBe(250);
  });

  it('gets everything in order after its receiver was off for three days', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = () => 503;
    const { id } = await world.addWebhook(receiver.url);
    for (let hour = 0; hour < 72; hour++) {
      await world.append(`${hour}a`, `${hour}b`);
      await world.workFor(HOUR_MS);
    }
    expect(await world.webhook(id)).toMatchObject({ cursor: 0, state: 'failing' });
    receiver.answers.statusOf = () => 200;
    await world.workFor(15 * HOUR_MS);
    const expected = Array.from({ length: 72 }, (_, hour) => [`${hour}a`, `${hour}b`]).flat();
    expect(namesIn(receiver.taken)).toEqual(expected);
    expect(await world.webhook(id)).toMatchObject({ state: 'enabled', failures: 0 });
    expect((await world.emitted()).map(({ type }) => type)).toEqual(['webhook.failing']);
  });

  it('is failing after an hour and disabled after five days, with one event each, and misses nothing', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = () => 503;
    const { id } = await world.addWebhook(receiver.url);
    for (let day = 0; day < 6; day++) {
      await world.append(day);
      await world.workFor(DAY_MS);
    }
    const first = receiver.received.length;
    expect(await world.webhook(id)).toMatchObject({ state: 'disabled', stateReason: 'failed' });
    const emitted = await world.emitted();
    expect(emitted.map(({ type, at, data }) => [type, at - START, data.reason])).toEqual([
      ['webhook.failing', HOUR_MS + 1, 'status'],
      ['webhook.disabled', 5 * DAY_MS + 1, 'failed'],
    ]);
    expect(first).toBeGreaterThan(16);
    expect(new Set(idsIn(receiver.received)).size).toBe(1);
    receiver.answers.statusOf = () => 200;
    await world.workFor(DAY_MS);
    expect(receiver.received).toHaveLength(first);
    await world.store.transact(async (tx) => {
      const webhook = (await tx.webhooks.findAndLock(world.workspaceId, id))!;
      const { stateReason: _, failingSince: __, ...rest } = webhook;
      await tx.webhooks.update({ ...rest, state: 'enabled', failures: 0, rejections: 0 });
      await tx.webhooks.restart({ workspaceId: world.workspaceId, id }, world.now);
    });
    await world.work();
    expect(namesIn(receiver.taken)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('is disabled at once by 410', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = () => 410;
    await world.append('a', 'b');
    const { id } = await world.addWebhook(receiver.url);
    await world.workFor(DAY_MS);
    expect(receiver.received).toHaveLength(1);
    expect(await world.webhook(id)).toMatchObject({
      state: 'disabled',
      stateReason: 'gone',
      cursor: 0,
    });
    expect(await world.emitted()).toMatchObject([
      { type: 'webhook.disabled', data: { reason: 'gone' } },
    ]);
    const page = { limit: 9, sort: 'at' } as const;
    const { items } = await world.store.read.auditLog.list(world.workspaceId, {}, page);
    expect(items).toMatchObject([
      {
        action: 'webhook.updated',
        actor: { type: 'service' },
        target: `webhook:${id}`,
        before: { state: 'enabled' },
        after: { state: 'disabled', stateReason: 'gone' },
      },
    ]);
  });

  it('skips nothing in silence when its events are no longer kept', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    await world.append('a', 'b', 'c');
    await world.store.transact((tx) => tx.events.deleteOld(world.workspaceId, START + 2));
    const { id } = await world.addWebhook(receiver.url, { cursor: 1 });
    await world.workFor(DAY_MS);
    expect(receiver.received).toEqual([]);
    expect(await world.webhook(id)).toMatchObject({
      state: 'disabled',
      stateReason: 'failed',
      cursor: 1,
    });
    expect(await world.emitted()).toMatchObject([{ type: 'webhook.disabled' }]);
    const kept = await world.addWebhook(receiver.url, { cursor: 2 });
    await world.work();
    expect(namesIn(receiver.taken.slice(0, 1))).toEqual(['c']);
    expect((await world.webhook(kept.id)).state).toBe('enabled');
  });

  it('honours Retry-After, and otherwise waits as long as the schedule says', async () => {
    const world = await DeliveryWorld.open();
    const times: number[] = [];
    const retryAfter = ['7', undefined, '3600'];
    const receiver = await httpReceiver((_, response) => {
      times.push(world.now - START);
      const after = retryAfter[times.length - 1];
      response.writeHead(429, after === undefined ? {} : { 'retry-after': after }).end();
    });
    await world.append('a');
    await world.addWebhook(receiver.url);
    await world.workFor(2 * HOUR_MS);
    expect(times.slice(0, 4)).toEqual([1, 7_001, 37_001, 37_001 + HOUR_MS]);
  });

  it('shows of a failure what the receiver said, and no more than 500 characters of it', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = () => 500;
    receiver.answers.reply = `no\u0000 \u001b[31m🐕 ${'x'.repeat(2_000)}`;
    await world.append('a');
    const { id } = await world.addWebhook(receiver.url);
    await world.work();
    const [attempt] = await world.attempts(id);
    expect(attempt).toMatchObject({ outcome: 'status', status: 500, attempt: 1 });
    expect(attempt!.excerpt).toMatch(/^no +\[31m🐕 x+$/);
    expect(attempt!.excerpt!.length).toBeLessThanOrEqual(500);
  });
});

describe('a poison event', () => {
  it('is parked after four rejections, and those behind it go on', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = ({ body }) => (body.includes('poison') ? 400 : 200);
    await world.append('a', 'poison', 'b', 'c');
    const { id } = await world.addWebhook(receiver.url);
    await world.workFor(6 * 60 * SECOND_MS);
    expect(namesIn(receiver.taken)).toEqual(['a', 'b', 'c', undefined].slice(0, 3));
    expect(namesIn(receiver.received)).toEqual(['a', ...Array(4).fill('poison'), 'b', 'c']);
    expect(await world.parked(id)).toEqual([2]);
    expect(await world.webhook(id)).toMatchObject({ state: 'enabled', failures: 0, rejections: 0 });
    const [event] = (await world.events()).slice(1);
    const emitted = await world.emitted();
    expect(emitted).toMatchObject([
      { type: 'webhook.parked', data: { eventId: eventId(event!), webhook: { id, parked: 1 } } },
    ]);
    // The event shows the webhook after the delivery of the next event, which has ended its failures.
    expect(emitted[0]!.data).not.toHaveProperty('webhook.failingSince');
  });

  it('is parked although it is rejected slowly', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = ({ body }) => {
      const isPoison = body.includes('poison');
      if (isPoison) world.now += 14 * SECOND_MS;
      return isPoison ? 400 : 200;
    };
    await world.append('poison', 'b', 'c');
    const { id } = await world.addWebhook(receiver.url);
    await world.workFor(10 * 60 * SECOND_MS);
    expect(namesIn(receiver.received)).toEqual([...Array(4).fill('poison'), 'b', 'c']);
    expect(await world.parked(id)).toEqual([1]);
    expect(await world.attempts(id)).toHaveLength(6);
  });

  it('is tried again when the receiver wants to be asked again about the event behind it', async () => {
    const world = await DeliveryWorld.open();
    const times: number[] = [];
    const receiver = await httpReceiver(({ body }, response) => {
      times.push(world.now - START);
      if (body.includes('poison')) response.writeHead(400).end();
      else response.writeHead(429, { 'retry-after': '3600' }).end();
    });
    await world.append('poison', 'b');
    const rejected = { failures: 3, rejections: 3, failingSince: world.now };
    await world.addWebhook(receiver.url, rejected);
    await world.workFor(2 * HOUR_MS);
    expect(namesIn(receiver.received).slice(0, 4)).toEqual(['poison', 'b', 'poison', 'b']);
    expect(times.slice(0, 3)).toEqual([2, 2, 2 + HOUR_MS]);
  });

  it('is not parked while the receiver rejects everything', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = () => 500;
    await world.append('a', 'b', 'c');
    const { id } = await world.addWebhook(receiver.url);
    await world.workFor(2 * DAY_MS);
    expect(await world.parked(id)).toEqual([]);
    expect(await world.webhook(id)).toMatchObject({ cursor: 0, state: 'failing' });
    expect(new Set(namesIn(receiver.received))).toEqual(new Set(['a', 'b']));
    receiver.answers.statusOf = () => 200;
    receiver.taken.length = 0;
    await world.workFor(DAY_MS);
    expect(namesIn(receiver.taken).slice(0, 3)).toEqual(['a', 'b', 'c']);
  });

  it('is not parked because of silence or trouble', async () => {
    for (const status of [429, 502, 503, 504]) {
      const world = await DeliveryWorld.open();
      const receiver = await newReceiver();
      receiver.answers.statusOf = ({ body }) => (body.includes('poison') ? status : 200);
      await world.append('poison', 'b');
      const { id } = await world.addWebhook(receiver.url);
      await world.workFor(DAY_MS);
      expect(await world.parked(id)).toEqual([]);
      expect(receiver.taken).toEqual([]);
    }
  });

  it('that is the last of the feed is parked once there is another behind it', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = ({ body }) => (body.includes('poison') ? 400 : 200);
    await world.append('poison');
    const { id } = await world.addWebhook(receiver.url);
    await world.workFor(40 * 60 * SECOND_MS);
    expect(await world.parked(id)).toEqual([]);
    await world.append('b');
    await world.workFor(HOUR_MS);
    expect(await world.parked(id)).toEqual([1]);
    expect(namesIn(receiver.taken)).toEqual(['b']);
  });

  it('that would be the 1,001st to be parked disables the webhook', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = ({ body }) => (body.includes('poison') ? 400 : 200);
    await world.append('poison', 'b');
    const { id } = await world.addWebhook(receiver.url);
    await world.store.transact(async (tx) => {
      for (let sequence = 1_000_000; sequence < 1_001_000; sequence++) {
        await tx.deliveries.park(
          { workspaceId: world.workspaceId, id },
          { sequence, attempts: 4, parkedAt: START },
        );
      }
    });
    await world.workFor(HOUR_MS);
    expect(await world.webhook(id)).toMatchObject({
      state: 'disabled',
      stateReason: 'parked_full',
      cursor: 0,
    });
    expect(await world.parked(id)).toHaveLength(1_000);
  });

  it('of one webhook is not passed back and forth between two that reject what they get', async () => {
    const world = await DeliveryWorld.open();
    const picky = await newReceiver();
    picky.answers.statusOf = ({ body }) => (body.includes('"webhook.') ? 400 : 200);
    const poisoned = await newReceiver();
    poisoned.answers.statusOf = ({ body }) => (/"webhook\.|poison/.test(body) ? 400 : 200);
    await world.addWebhook(picky.url);
    await world.addWebhook(poisoned.url);
    await world.append('poison');
    for (let hour = 0; hour < 48; hour++) {
      await world.append(hour);
      await world.workFor(HOUR_MS);
    }
    expect((await world.emitted()).map(({ type }) => type)).toEqual(['webhook.parked']);
  });
});

it('a webhook that wants none of many events lets others have their turn while it passes them', async () => {
  const world = await DeliveryWorld.open();
  const receiver = await newReceiver();
  await world.append(...Array.from({ length: 5_000 }, (_, at) => at));
  const { id } = await world.addWebhook(receiver.url, { types: ['order.*'] });
  const [lease] = await world.claim();
  const ticks = await ticksDuring(() => world.worker(lease!).run());
  expect((await world.webhook(id)).cursor).toBe(5_000);
  // Each search looks at 1,000 events.
  expect(ticks).toBeGreaterThan(5);
  expect(receiver.received).toEqual([]);
});

describe('an event about a webhook', () => {
  it('is sent to every other webhook and never to itself', async () => {
    const world = await DeliveryWorld.open();
    const [good, bad] = [await newReceiver(), await newReceiver()];
    bad.answers.statusOf = () => 410;
    await world.append('a');
    const [first, second] = [await world.addWebhook(good.url), await world.addWebhook(bad.url)];
    await world.workFor(HOUR_MS);
    const emitted = good.received
      .map(({ body }) => JSON.parse(body))
      .filter(({ type }) => type !== 'category.created');
    expect(emitted).toMatchObject([
      { type: 'webhook.disabled', data: { webhook: { id: second.id } } },
    ]);
    expect((await world.webhook(first.id)).cursor).toBe(2);
    bad.answers.statusOf = () => 200;
    bad.taken.length = 0;
    await world.store.transact(async (tx) => {
      const { stateReason: _, ...webhook } = (await tx.webhooks.findAndLock(
        world.workspaceId,
        second.id,
      ))!;
      await tx.webhooks.update({ ...webhook, state: 'enabled', failures: 0 });
      await tx.webhooks.restart(second, world.now);
    });
    await world.workFor(HOUR_MS);
    expect(namesIn(bad.taken)).toEqual(['a']);
    expect((await world.webhook(second.id)).cursor).toBe(2);
  });
});
