import { afterAll, beforeAll, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/domain/durations.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { createCategory, createWebhook, TestReceiver, WAIT } from './receiver-app.ts';

let app: TestApp;
let receiver: TestReceiver;

beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_WEBHOOK_VERIFY: 'none' } });
  receiver = await new TestReceiver().listen();
});
afterAll(() => receiver.close());

/** The value of each line of a metric. */
async function metric(name: string): Promise<Record<string, number>> {
  const { text } = await app.call('GET', '/metrics');
  const lines = text.matchAll(new RegExp(`^${name}(\\{[^}]*\\})? (.+)$`, 'gm'));
  return Object.fromEntries([...lines].map(([, labels = '', value]) => [labels, Number(value)]));
}

it('count attempts by outcome, and webhooks and what they have before them by state', async () => {
  const { id } = await createWebhook(app, { url: receiver.url, types: ['category.*'] });
  await createCategory(app, 'a');
  await expect.poll(() => receiver.types(), WAIT).toEqual(['category.created']);
  const deliveries = () => metric('petstore_webhook_deliveries_total');
  await expect
    .poll(deliveries, WAIT)
    .toMatchObject({ '{outcome="delivered"}': 1, '{outcome="status"}': 0, '{outcome="tls"}': 0 });
  receiver.status = 500;
  await app.call('POST', `/v1/webhooks/${id}/ping`);
  expect(await deliveries()).toMatchObject({ '{outcome="status"}': 1 });
  expect(await metric('petstore_webhook_delivery_seconds_count')).toEqual({ '': 2 });
  const buckets = await metric('petstore_webhook_delivery_seconds_bucket');
  expect(buckets['{le="+Inf"}']).toBe(2);
  const states = { '{state="unverified"}': 0, '{state="failing"}': 0 };
  expect(await metric('petstore_webhooks')).toEqual({
    ...states,
    '{state="enabled"}': 1,
    '{state="disabled"}': 0,
  });
  await app.call('PATCH', `/v1/webhooks/${id}`, { body: { state: 'disabled' } });
  for (const name of ['b', 'c']) await createCategory(app, name);
  const { body } = await app.call('GET', `/v1/webhooks/${id}`);
  expect(body.behind).toBeGreaterThanOrEqual(2);
  expect(await metric('petstore_webhooks')).toMatchObject({ '{state="disabled"}': 0 });
  // All webhooks are counted once a minute, however often the page is asked for.
  app.clock.advance(MINUTE_MS);
  expect(await metric('petstore_webhooks')).toEqual({
    ...states,
    '{state="enabled"}': 0,
    '{state="disabled"}': 1,
  });
  expect(await metric('petstore_webhook_events_behind')).toEqual({
    ...states,
    '{state="enabled"}': 0,
    '{state="disabled"}': body.behind,
  });
});
