import { Refusal } from '../../domain/errors.ts';
import { statusOf } from '../../services/webhooks.ts';
import { readOperation } from '../operation.ts';
import { exampleWebhook, Webhook } from '../schemas/webhook.ts';
import { record } from '../success.ts';
import { webhookView } from '../views/webhook.ts';
import { isOpen, webhookId } from './webhook-of-request.ts';

export const getWebhook = readOperation({
  id: 'getWebhook',
  method: 'GET',
  path: '/webhooks/{webhookId}',
  tag: 'webhooks',
  scope: 'read',
  summary: 'Get a webhook',
  params: { webhookId },
  success: record(Webhook, 'The webhook.'),
  example: exampleWebhook,
  isOpen,
  handle: async ({ caller, params }, store) => {
    const webhook = await store.webhooks.find(caller.workspaceId, params.webhookId);
    if (!webhook) throw new Refusal('not_found');
    return webhookView(await statusOf(store, webhook));
  },
});
