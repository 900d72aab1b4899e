import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';
import { createCategory, createWebhook, TestReceiver, WAIT } from './receiver-app.ts';

let app: TestApp;
let receiver: TestReceiver;

beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_WEBHOOK_VERIFY: 'none' } });
  receiver = await new TestReceiver().listen();
});
afterAll(() => receiver.close());

it('If-Match takes an ETag from before deliveries moved the cursor, and refuses one from before a change', async () => {
  const { id } = await createWebhook(app, { url: receiver.url, description: 'till' });
  const read = () => app.call('GET', `/v1/webhooks/${id}`);
  const patch = (etag: string, body: object) =>
    app.call('PATCH', `/v1/webhooks/${id}`, { body, headers: { 'if-match': etag } });
  const first = await read();
  const etag = first.headers.get('etag')!;
  for (const name of ['a', 'b', 'c']) await createCategory(app, name);
  const cursor = String(Number(first.body.cursor) + 3);
  await expect.poll(async () => (await read()).body.cursor, WAIT).toBe(cursor);
  const moved = await read();
  expect(moved.headers.get('etag')).toBe(etag);
  const patched = await patch(etag, { batchMax: 2 });
  expect(patched.status, patched.text).toBe(200);
  expect(patched.headers.get('etag')).not.toBe(etag);
  expectError(await patch(etag, { description: 'lost' }), 'precondition_failed');
  const now = patched.headers.get('etag')!;
  const disabled = await patch(now, { state: 'disabled' });
  expect(disabled.status).toBe(200);
  expectError(await patch(now, { description: 'lost' }), 'precondition_failed');
  expect((await read()).body).toMatchObject({ description: 'till', batchMax: 2 });
  const headers = { 'if-match': now };
  const deletion = await app.call('DELETE', `/v1/webhooks/${id}`, { headers });
  expectError(deletion, 'precondition_failed');
});
