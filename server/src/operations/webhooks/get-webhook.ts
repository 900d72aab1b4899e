import { readOperation } from '../operation.ts';
import { exampleWebhook, Webhook } from '../schemas/webhook.ts';
import { record, versionedBy } from '../success.ts';
import { webhookVersion, webhookView } from '../views/webhook.ts';
import { getWebhookRecord, isOffered, webhookId } from './webhook-of-request.ts';

export const getWebhook = readOperation({
  id: 'getWebhook',
  method: 'GET',
  path: '/webhooks/{webhookId}',
  tag: 'webhooks',
  scope: 'read',
  summary: 'Get a webhook',
  params: { webhookId },
  success: versionedBy(webhookVersion, record(Webhook, 'The webhook.')),
  example: exampleWebhook,
  isOffered,
  handle: async ({ caller, params, now }, store) => {
    const webhook = await getWebhookRecord(store, caller.workspaceId, params.webhookId);
    return webhookView(await store.webhooks.statusOf(webhook, now));
  },
});
