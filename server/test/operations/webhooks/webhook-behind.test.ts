import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { createCategory, createWebhook } from './receiver-app.ts';

// Nothing here reads the feed, so on PostgreSQL the events of these tests have no numbers yet.
describe('behind counts every event after the cursor, though none was read', () => {
  let app: TestApp;
  let id: number;
  let categories = 0;
  /** The first key was created. */
  const EARLIER_EVENTS = 1;

  beforeAll(async () => {
    app = await testApp({
      environment: { PETSTORE_WEBHOOK_VERIFY: 'none', PETSTORE_WEBHOOKS: 'off' },
    });
    ({ id } = await createWebhook(app, { url: 'http://127.0.0.1:9/', after: '0' }));
  });

  async function expectAll(behindOf: () => Promise<number>): Promise<void> {
    for (let times = 0; times < 3; times += 1) await createCategory(app, `${++categories}`);
    expect(await behindOf()).toBe(EARLIER_EVENTS + categories);
  }

  it.each([
    ['GET', '', undefined],
    ['PATCH', '', { description: 'till' }],
    ['POST', '/rotate', undefined],
    ['POST', '/replay', { after: '0' }],
  ])('in the response to %s /webhooks/{webhookId}%s', async (method, path, body) => {
    await expectAll(async () => {
      const answer = await app.call(method, `/v1/webhooks/${id}${path}`, { body });
      return answer.body.behind;
    });
  });

  it('in the list', async () => {
    await expectAll(async () => (await app.call('GET', '/v1/webhooks')).body[0].behind);
  });

  it('in the metric', async () => {
    await expectAll(async () => {
      const { text } = await app.call('GET', '/metrics');
      return Number(/^petstore_webhook_events_behind\{state="enabled"\} (\d+)$/m.exec(text)![1]);
    });
  });
});
