import { actionOperation } from '../operation.ts';
import { Attempt, exampleAttempt } from '../schemas/webhook.ts';
import { value } from '../success.ts';
import { attemptView } from '../views/webhook.ts';
import { gatewayOf, getWebhookRecord, isOpen, webhookId } from './webhook-of-request.ts';

const { firstSequence: _, lastSequence: __, ...examplePing } = exampleAttempt;

export const pingWebhook = actionOperation({
  id: 'pingWebhook',
  method: 'POST',
  path: '/webhooks/{webhookId}/ping',
  tag: 'webhooks',
  scope: 'manage',
  summary: 'Send a ping to a webhook',
  description:
    'Now, by the same path as every delivery, in any state; at most 10 a minute. A ping that is answered verifies the URL.',
  params: { webhookId },
  success: value(Attempt, 'What became of it.'),
  events: [],
  example: examplePing,
  isOpen,
  handle: async ({ caller, params }, store, deps) => {
    const webhook = await getWebhookRecord(store, caller.workspaceId, params.webhookId);
    return attemptView(await gatewayOf(deps).ping(webhook));
  },
});
