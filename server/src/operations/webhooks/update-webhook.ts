import { updateWebhook as update } from '../../services/webhooks.ts';
import { writeOperation } from '../operation.ts';
import { exampleWebhook, Webhook, WebhookPatch } from '../schemas/webhook.ts';
import { record, versionedBy } from '../success.ts';
import { webhookVersion, webhookView } from '../views/webhook.ts';
import { gatewayOf, isOffered, webhookId } from './webhook-of-request.ts';

export const updateWebhook = writeOperation({
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/webhooks/{webhookId}',
  tag: 'webhooks',
  scope: 'manage',
  summary: 'Update a webhook',
  description:
    'A merge patch. A new `url` must answer a ping again. Setting `state` to `enabled` continues from the cursor at once.',
  params: { webhookId },
  body: WebhookPatch,
  requestExample: { types: ['order.*', 'inventory.low'], batchMax: 10 },
  isConditional: true,
  success: versionedBy(webhookVersion, record(Webhook, 'The webhook as it is now.')),
  errors: ['replay_required'],
  events: ['webhook.disabled'],
  audits: ['webhook.updated'],
  example: exampleWebhook,
  isOffered,
  prepare: async ({ body }, deps) => {
    if (body.url !== undefined) await gatewayOf(deps).checkUrl(body.url);
  },
  handle: async ({ caller, params, body, checkMatch, now }, tx, deps) => {
    const webhook = await update(tx, {
      caller,
      id: params.webhookId,
      patch: body,
      gateway: gatewayOf(deps),
      checkMatch: (current) => checkMatch(webhookVersion(webhookView(current))),
      now,
    });
    return webhookView(webhook);
  },
});
