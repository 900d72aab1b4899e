import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { ATTEMPTS_MAX } from '../../src/domain/webhook.ts';
import { deleteOldAttempts } from '../../src/services/maintenance/delete-expired.ts';
import {
  deleteWebhook,
  replayWebhook,
  rotateWebhookSecret,
  updateWebhook,
  type WebhookPatch,
} from '../../src/services/webhooks.ts';
import { sealContext } from '../../src/webhooks/signing-sender.ts';
import { named } from '../datastore/suite-events.ts';
import { DeliveryWorld } from './delivery-world.ts';
import { httpReceiver } from './receivers.ts';
import { idsIn, namesIn, newReceiver } from './scripted-receiver.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

function update(world: DeliveryWorld, id: number, patch: WebhookPatch) {
  const caller = { workspaceId: world.workspaceId };
  const gateway = { isVerifying: false };
  return world.store.transact((tx) =>
    updateWebhook(tx, { caller, id, patch, gateway, now: world.now }),
  );
}

function replay(world: DeliveryWorld, id: number, cursor: number) {
  const caller = { workspaceId: world.workspaceId };
  return world.store.transact((tx) => replayWebhook(tx, { caller, id, cursor, now: world.now }));
}

/** An event of another type than those of the world. */
function appendDeleted(world: DeliveryWorld, name: string | number) {
  const event = { ...named(name), type: 'category.deleted', at: world.now++ } as const;
  return world.store.transact((tx) => tx.events.append(world.workspaceId, [event]));
}

/** Takes a second for each request. While the one of this number is under way, the owner changes something. */
async function receiverDuring(
  world: DeliveryWorld,
  request: number,
  change: () => Promise<unknown>,
) {
  const receiver = await httpReceiver(async (_, response) => {
    if (receiver.received.length === request) await change();
    world.now += SECOND_MS;
    response.end();
  });
  return receiver;
}

// The change is made by another node, which cannot notify the worker: it finds out with the save of each second.
describe('while a request is under way', () => {
  it('a webhook that is disabled is sent nothing more, and goes on from there once enabled', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b', 'c');
    const receiver = await receiverDuring(world, 2, () => update(world, id, { state: 'disabled' }));
    const { id } = await world.addWebhook(receiver.url);
    await world.work();
    expect(namesIn(receiver.received)).toEqual(['a', 'b']);
    expect(await world.webhook(id)).toMatchObject({ state: 'disabled', stateReason: 'by_owner' });
    await update(world, id, { state: 'enabled' });
    await world.work();
    expect(namesIn(receiver.received)).toEqual(['a', 'b', 'c']);
    expect(await world.attempts(id)).toHaveLength(3);
  });

  it('a webhook that is disabled and enabled goes on behind what was delivered, at once', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await httpReceiver(async ({ body }, response) => {
      const isRejected = body.includes('"b"') && receiver.received.length === 2;
      if (isRejected) {
        await update(world, id, { state: 'disabled' });
        await update(world, id, { state: 'enabled' });
      }
      response.writeHead(isRejected ? 503 : 200).end();
    });
    await world.append('a', 'b', 'c');
    const { id } = await world.addWebhook(receiver.url);
    await world.work();
    expect(namesIn(receiver.received)).toEqual(['a', 'b', 'b', 'c']);
    expect(await world.webhook(id)).toMatchObject({ state: 'enabled', failures: 0 });
  });

  it('a webhook that is disabled while an event is parked has it parked, and sends it no more', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await httpReceiver(async ({ body }, response) => {
      if (body.includes('"b"')) await update(world, id, { state: 'disabled' });
      response.writeHead(body.includes('"poison"') ? 400 : 200).end();
    });
    await world.append('poison', 'b', 'c');
    const { id } = await world.addWebhook(receiver.url);
    await world.workFor(10 * MINUTE_MS);
    expect(namesIn(receiver.received)).toEqual([...Array(4).fill('poison'), 'b']);
    expect(await world.parked(id)).toEqual([1]);
    expect(await world.webhook(id)).toMatchObject({ cursor: 2, state: 'disabled' });
  });

  it('a replay to the last saved place sends again what came behind it', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b');
    const receiver = await receiverDuring(world, 2, async () => {
      const { cursor } = await world.webhook(id);
      await replay(world, id, cursor);
      await update(world, id, { state: 'disabled' });
      await update(world, id, { state: 'enabled' });
    });
    const { id } = await world.addWebhook(receiver.url);
    await world.work();
    expect(namesIn(receiver.received)).toEqual(['a', 'b', 'b']);
  });

  it('a webhook that is deleted is sent nothing more, and nothing is kept about it', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b');
    const caller = { workspaceId: world.workspaceId };
    const receiver = await receiverDuring(world, 1, () =>
      world.store.transact((tx) => deleteWebhook(tx, { caller, id, now: world.now })),
    );
    const { id } = await world.addWebhook(receiver.url);
    await world.work();
    expect(namesIn(receiver.received)).toEqual(['a']);
    expect(await world.attempts(id)).toEqual([]);
  });

  it('a replay begins at its place, and the request under way moves nothing', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b', 'c');
    const receiver = await receiverDuring(world, 3, () => replay(world, id, 1));
    const { id } = await world.addWebhook(receiver.url);
    await world.work();
    expect(namesIn(receiver.received)).toEqual(['a', 'b', 'c', 'b', 'c']);
    expect(await world.webhook(id)).toMatchObject({ cursor: 3 });
  });

  it('new types apply to every event that is written after the change', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a');
    const receiver = await receiverDuring(world, 1, async () => {
      await update(world, id, { types: ['category.*'] });
      await appendDeleted(world, 'wanted now');
    });
    const { id } = await world.addWebhook(receiver.url, { types: ['category.created'] });
    await world.workFor(10 * SECOND_MS);
    expect(new Set(namesIn(receiver.received))).toEqual(new Set(['a', 'wanted now']));
    expect(await world.webhook(id)).toMatchObject({ cursor: 2, failures: 0 });
  });

  it('new types end a batch of the former types, and a batch stays within its size', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a');
    for (let count = 0; count < 7; count++) await appendDeleted(world, count);
    await world.append('b');
    const receiver = await httpReceiver(async (_, response) => {
      const isFirst = receiver.received.length === 1;
      if (isFirst) await update(world, id, { types: ['category.*'] });
      response.writeHead(isFirst ? 503 : 200).end();
    });
    const former = { types: ['category.created'], batchMax: 2 };
    const { id } = await world.addWebhook(receiver.url, former);
    await world.workFor(MINUTE_MS);
    expect(receiver.received.map((request) => namesIn([request]))).toEqual([
      ['a', 'b'],
      ['a', 0],
      [1, 2],
      [3, 4],
      [5, 6],
      ['b'],
    ]);
  });

  it('a secret that was replaced without overlap signs nothing more', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b', 'c');
    const caller = { workspaceId: world.workspaceId };
    const seal = (text: string) => world.box.seal(text, sealContext(world.workspaceId));
    let secret = '';
    const receiver = await receiverDuring(world, 1, async () => {
      const change = { caller, id, overlapSeconds: 0, gateway: { seal }, now: world.now };
      const rotated = await world.store.transact((tx) => rotateWebhookSecret(tx, change));
      secret = rotated.secret;
    });
    const { id } = await world.addWebhook(receiver.url);
    await world.work();
    const [, ...later] = receiver.received;
    expect(namesIn(later)).toEqual(['b', 'c']);
    for (const { body, headers } of later) {
      const seconds = Number(headers['webhook-timestamp']);
      const expected = new Webhook(secret).sign(
        String(headers['webhook-id']),
        new Date(seconds * SECOND_MS),
        body,
      );
      expect(headers['webhook-signature']).toBe(expected);
    }
  });

  it('a change of its settings alone lets the delivery count', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b');
    const receiver = await receiverDuring(world, 1, () =>
      update(world, id, { description: 'till' }),
    );
    const { id } = await world.addWebhook(receiver.url);
    await world.work();
    expect(namesIn(receiver.received)).toEqual(['a', 'b']);
    expect(await world.webhook(id)).toMatchObject({ cursor: 2, description: 'till' });
  });
});

it('a retry goes to the new URL once that was changed, at once', async () => {
  const world = await DeliveryWorld.open();
  const [old, next] = [await newReceiver(), await newReceiver()];
  old.answers.statusOf = () => 503;
  await world.append('a');
  const { id } = await world.addWebhook(old.url);
  await world.work();
  await update(world, id, { url: next.url });
  await world.work();
  expect(namesIn(next.taken)).toEqual(['a']);
  expect(idsIn(next.taken)).toEqual(idsIn(old.received));
  expect(old.received).toHaveLength(1);
});

it('a failing event that is no longer wanted ends its failures, and counts for no other event', async () => {
  const world = await DeliveryWorld.open();
  const receiver = await newReceiver();
  receiver.answers.statusOf = () => 400;
  await world.append('poison');
  const { id } = await world.addWebhook(receiver.url);
  await world.workFor(2 * HOUR_MS);
  expect(await world.webhook(id)).toMatchObject({ state: 'failing' });
  await update(world, id, { types: ['category.deleted'] });
  await world.workFor(10 * SECOND_MS);
  const webhook = await world.webhook(id);
  expect(webhook).toMatchObject({ state: 'enabled', failures: 0, rejections: 0 });
  expect(webhook).not.toHaveProperty('failingSince');
  // The second event is about the webhook itself.
  expect(webhook.cursor).toBe(2);
  expect(await world.claim()).toEqual([]);
  receiver.answers.statusOf = ({ body }) => (body.includes('"rejected once"') ? 400 : 200);
  await appendDeleted(world, 'rejected once');
  await appendDeleted(world, 'next');
  await world.workFor(SECOND_MS);
  expect(await world.parked(id)).toEqual([]);
  expect(await world.webhook(id)).toMatchObject({ failures: 1, rejections: 1 });
});

it('new types leave the time for verification as it is', async () => {
  const world = await DeliveryWorld.open();
  const receiver = await newReceiver();
  receiver.answers.statusOf = () => 404;
  const { id } = await world.addWebhook(receiver.url, { state: 'unverified', isVerified: false });
  await world.workFor(SECOND_MS);
  const { failingSince } = await world.webhook(id);
  await update(world, id, { types: ['order.*'] });
  expect(await world.webhook(id)).toMatchObject({ failingSince, failures: 1 });
});

it('a replay of a long feed keeps the order, the ids and the pace while new events come', async () => {
  const world = await DeliveryWorld.open();
  const receiver = await newReceiver();
  await world.append(...Array.from({ length: 300 }, (_, at) => at));
  const { id } = await world.addWebhook(receiver.url, { perSecondMax: 20, cursor: 300 });
  await replay(world, id, 0);
  const times: number[] = [];
  receiver.answers.statusOf = () => {
    times.push(world.now);
    return 200;
  };
  for (let come = 0; come < 10; come++) {
    await world.append(`new ${come}`);
    await world.workFor(2 * SECOND_MS);
  }
  const events = await world.events();
  expect(idsIn(receiver.received)).toHaveLength(310);
  expect(receiver.received.map(({ body }) => JSON.parse(body).sequence)).toEqual(
    events.map(({ sequence }) => sequence),
  );
  expect(idsIn(receiver.received)).toEqual([...new Set(idsIn(receiver.received))]);
  // A bucket of 20 and 20 more for each second: no second has more than 40.
  for (const [at, time] of times.entries()) {
    const later = times[at + 40];
    if (later !== undefined) expect(later - time).toBeGreaterThanOrEqual(SECOND_MS);
  }
});

it('attempts stay bounded, by number and by age, under 30 days in which every second event is rejected', async () => {
  const world = await DeliveryWorld.open();
  const receiver = await newReceiver();
  const { id } = await world.addWebhook(receiver.url);
  receiver.answers.statusOf = ({ body }) => (JSON.parse(body).sequence % 2 === 1 ? 400 : 200);
  for (let day = 0; day < 30; day++) {
    await world.append('a', 'b', 'c', 'd');
    await world.workFor(DAY_MS);
    await deleteOldAttempts(world.store, world.now);
    const attempts = await world.attempts(id);
    expect(attempts.length).toBeLessThanOrEqual(ATTEMPTS_MAX);
    expect(attempts.every(({ at }) => at > world.now - 7 * DAY_MS - SECOND_MS)).toBe(true);
  }
  const shown = await world.attempts(id);
  expect(shown.length).toBeGreaterThan(0);
  expect(receiver.received.length).toBeGreaterThan(2 * shown.length);
});

it('deleting attempts lets others commit between its pieces', async () => {
  const world = await DeliveryWorld.open();
  const { id } = await world.addWebhook('http://127.0.0.1:1/');
  const made = { attempt: 1, at: world.now, durationMs: 1, isVerification: false };
  const old = { ...made, outcome: 'delivered' as const };
  const ids = [id];
  for (let more = 0; more < 4; more++) {
    ids.push((await world.addWebhook('http://127.0.0.1:1/')).id);
  }
  for (const webhookId of ids) {
    const attempts = Array.from({ length: ATTEMPTS_MAX }, () => old);
    await world.store.transact((tx) =>
      tx.deliveries.addAttempts({ workspaceId: world.workspaceId, id: webhookId }, attempts),
    );
  }
  const order: string[] = [];
  const deleting = deleteOldAttempts(world.store, world.now + 8 * DAY_MS).then(() =>
    order.push('deleted'),
  );
  const change = world.append('in between').then(() => order.push('changed'));
  await Promise.all([deleting, change]);
  expect(order).toEqual(['changed', 'deleted']);
  for (const webhookId of ids) expect(await world.attempts(webhookId)).toEqual([]);
});
