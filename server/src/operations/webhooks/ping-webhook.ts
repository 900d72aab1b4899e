import { actionOperation } from '../operation.ts';
import { Attempt, exampleAttempt } from '../schemas/webhook.ts';
import { value } from '../success.ts';
import { attemptView } from '../views/webhook.ts';
import { gatewayOf, getWebhookRecord, isOffered, webhookId } from './webhook-of-request.ts';

const { firstSequence: _, lastSequence: __, ...examplePing } = exampleAttempt;

export const pingWebhook = actionOperation({
  id: 'pingWebhook',
  method: 'POST',
  path: '/webhooks/{webhookId}/ping',
  tag: 'webhooks',
  scope: 'manage',
  summary: 'Send a ping to a webhook',
  description:
    'Sends a ping at once, in any state, in the same way as every delivery; at most 10 a minute. If the response is 2xx, an `unverified` webhook becomes `enabled`.',
  params: { webhookId },
  success: value(Attempt, 'The outcome of the attempt.'),
  events: [],
  example: examplePing,
  isOffered,
  handle: async ({ caller, params }, store, deps) => {
    const webhook = await getWebhookRecord(store, caller.workspaceId, params.webhookId);
    return attemptView(await gatewayOf(deps).ping(webhook));
  },
});
