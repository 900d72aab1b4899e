// What goes on in the background of a workspace, and stops while it is suspended or closing.

import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { MINUTE_MS } from '../../../src/domain/durations.ts';
import { createCategory as addCategory } from '../../../src/services/categories.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';
import { type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';
import { StreamReader } from '../events/stream-reader.ts';
import { createCategory, createWebhook, TestReceiver, WAIT } from '../webhooks/receiver-app.ts';

/** Longer than a node needs to find work that is due. */
const QUIET_MS = 2_000;

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_WEBHOOK_VERIFY: 'none' } });
});
beforeEach(async () => {
  own = await newWorkspace(app, { name: 'Happy Paws', plan: 'business' });
});

const admin = async (change: string, body?: unknown) => {
  const path = `/v1/admin/workspaces/${own.id}/${change}`;
  const answer = await app.call('POST', path, body ? { body } : {});
  expect(answer.status, answer.text).toBe(200);
};
const stops = [
  ['suspended', () => admin('suspend', { reason: 'unpaid' }), () => admin('resume')],
  ['closing', () => admin('close', { name: 'Happy Paws' }), () => admin('reopen')],
] as const;

/** A change that no request makes, because all are refused. */
async function changeFromOutside(name: string): Promise<void> {
  const caller = {
    workspaceId: own.id,
    keyId: own.keyId,
    scopes: [],
    limits: { perMinute: 1, perDay: 1 },
  };
  await app.transact((tx) => addCategory(tx, { caller, category: { name }, now: Date.now() }));
}

it.each(stops)(
  'nothing is delivered while it is %s, and everything afterwards',
  async (_, stop, goOn) => {
    const receiver = await new TestReceiver().listen();
    onTestFinished(() => receiver.close());
    await createWebhook(app, { url: receiver.url, types: ['category.*'] }, own.key);
    await createCategory(app, 'before', own.key);
    await expect.poll(() => receiver.received.length, WAIT).toBe(1);
    await stop();
    for (const name of ['a', 'b', 'c']) await changeFromOutside(name);
    await pause(QUIET_MS);
    expect(receiver.received).toHaveLength(1);
    await goOn();
    await createCategory(app, 'after', own.key);
    await expect.poll(() => receiver.received.length, WAIT).toBe(5);
    const names = receiver.received.map(({ body }) => JSON.parse(body).data.category.name);
    expect(names).toEqual(['before', 'a', 'b', 'c', 'after']);
  },
);

it('a series of failures lasts no longer for the time of a suspension', async () => {
  const receiver = await new TestReceiver().listen();
  onTestFinished(() => receiver.close());
  receiver.status = 500;
  const { id } = await createWebhook(app, { url: receiver.url, types: ['category.*'] }, own.key);
  await createCategory(app, 'x', own.key);
  await expect.poll(() => receiver.received.length, WAIT).toBe(1);
  const failingSince = () =>
    app.transact(async (tx) => (await tx.webhooks.find(own.id, id))!.failingSince);
  await expect.poll(failingSince, WAIT).toBeDefined();
  const before = (await failingSince())!;
  await app.transact((tx) => tx.webhooks.pauseAll(own.id, 1_000));
  await app.transact((tx) => tx.webhooks.unpauseAll(own.id, 6_000));
  expect(await failingSince()).toBe(before + 5_000);
});

it.each(stops)(
  'no order expires while it is %s, and all that are due do afterwards',
  async (_, stop, goOn) => {
    const { body: category } = await app.call('POST', '/v1/categories', {
      key: own.key,
      body: { name: 'Dogs' },
    });
    const pet = await app.call('POST', '/v1/pets', {
      key: own.key,
      body: { name: 'Rex', categoryId: category.id },
    });
    const petId = pet.body.id;
    await app.call('PATCH', `/v1/inventory/${petId}`, { key: own.key, body: { quantity: 5 } });
    const expiresAt = new Date(app.clock.now() + MINUTE_MS).toISOString();
    for (let n = 0; n < 3; n++) {
      const body = { petId, expiresAt };
      const order = await app.call('POST', '/v1/store/orders', { key: own.key, body });
      expect(order.status, order.text).toBe(201);
    }
    await stop();
    const stock = async () => (await app.transact((tx) => tx.stock.find(own.id, petId)))!.stock;
    app.clock.advance(MINUTE_MS);
    await pause(QUIET_MS);
    expect(await stock()).toMatchObject({ reserved: 3 });
    await goOn();
    await expect.poll(stock, WAIT).toMatchObject({ quantity: 5, reserved: 0 });
  },
);

it('keeps the events of a suspended workspace, however old', async () => {
  await createCategory(app, 'x', own.key);
  await app.call('GET', '/v1/events', { key: own.key });
  const oldest = async () => {
    const feeds = await app.transact((tx) => tx.events.oldest(own.id - 1, 1));
    return feeds[0]!.at;
  };
  expect(await oldest()).toBeDefined();
  await admin('suspend', { reason: 'unpaid' });
  expect(await oldest()).toBeUndefined();
});

it('streams and waiting polls end when the workspace is suspended', async () => {
  const { address } = app;
  const stream = await StreamReader.open({ address, key: own.key });
  const { headers } = await app.call('GET', '/v1/events', { key: own.key });
  const cursor = headers.get('events-cursor');
  const poll = app.call('GET', `/v1/events?after=${cursor}&wait=25`, { key: own.key });
  await pause(100);
  await admin('suspend', { reason: 'unpaid' });
  await stream.until(({ isEnded }) => isEnded);
  expectError(await poll, 'workspace_suspended');
});

it('streams end at once when their key is revoked', async () => {
  const key = await app.addKey(['read'], own.id);
  const stream = await StreamReader.open({ address: app.address, key });
  await app.call('DELETE', `/v1/keys/${key.slice(4, 16)}`, { key: own.key });
  await stream.until(({ isEnded }) => isEnded);
});
