import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { Workload } from '../../src/http/workload.ts';
import { createWebhook, WAIT } from '../operations/webhooks/receiver-app.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { expectDocumented, expectError } from '../support/contract.ts';
import { httpReceiver } from '../webhooks/receivers.ts';

/** Only what the test asks for is sent. */
const environment = { PETSTORE_WEBHOOKS: 'off' };

/** Answers when the test says so. */
async function hangingReceiver() {
  const waiting: ServerResponse[] = [];
  const receiver = await httpReceiver((_, response) => void waiting.push(response));
  const answer = () => {
    for (const response of waiting.splice(0)) response.writeHead(200).end();
  };
  return { ...receiver, waiting, answer };
}

async function newWebhook(app: TestApp, url: string) {
  const { id } = await createWebhook(app, { url });
  // As if its URL had answered the first ping.
  await app.transact(async (tx) => {
    const webhook = (await tx.webhooks.findAndLock(1, id))!;
    await tx.webhooks.update({ ...webhook, isVerified: true, state: 'enabled' });
  });
  const { body: events } = await app.call('GET', '/v1/events?limit=1');
  const body = { eventId: events[0].id };
  return {
    redeliver: () => app.call('POST', `/v1/webhooks/${id}/deliveries`, { body }),
    ping: () => app.call('POST', `/v1/webhooks/${id}/ping`),
  };
}

it('a receiver that hangs takes no place from the writes of others', async () => {
  const workload = new Workload({ runningMax: 2 });
  const app = await testApp({ environment, parts: { workload } });
  const receiver = await hangingReceiver();
  const { redeliver, ping } = await newWebhook(app, receiver.url);
  const sent = [redeliver(), ping(), redeliver()];
  await expect.poll(() => receiver.waiting.length, WAIT).toBe(3);
  const body = { name: 'Dogs' };
  const written = await app.call('POST', '/v1/categories', { body, key: await app.addWorkspace() });
  expect(written.status, written.text).toBe(201);
  receiver.answer();
  for (const answer of await Promise.all(sent)) {
    expect(answer.body).toMatchObject({ outcome: 'delivered' });
  }
  workload.start('write');
  expect(workload.isFull('write')).toBe(false);
  workload.start('write');
  expect(workload.isFull('write')).toBe(true);
});

it('refuses more than 10 redeliveries to one webhook at once, until one of them ends', async () => {
  const app = await testApp({ environment });
  const receiver = await hangingReceiver();
  const { redeliver } = await newWebhook(app, receiver.url);
  const sent = Array.from({ length: 10 }, redeliver);
  await expect.poll(() => receiver.waiting.length, WAIT).toBe(10);
  const refused = await redeliver();
  expectError(refused, 'too_many_redeliveries');
  expectDocumented('redeliverEvent', refused);
  const other = await newWebhook(app, receiver.url);
  sent.push(other.redeliver());
  await expect.poll(() => receiver.waiting.length, WAIT).toBe(11);
  receiver.answer();
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(11).fill(200));
  sent.push(redeliver());
  await expect.poll(() => receiver.waiting.length, WAIT).toBe(1);
  receiver.answer();
  expect((await sent.at(-1)!).status).toBe(200);
});
