import { mapPage } from '../../datastore/list.ts';
import { deliveryOutcomes } from '../../domain/delivery.ts';
import { readOperation } from '../operation.ts';
import { oneOf } from '../parameters.ts';
import { Attempt, exampleAttempt } from '../schemas/webhook.ts';
import { listOf } from '../success.ts';
import { attemptView } from '../views/webhook.ts';
import { getWebhookRecord, isOffered, webhookId } from './webhook-of-request.ts';

export const listAttempts = readOperation({
  id: 'listAttempts',
  method: 'GET',
  path: '/webhooks/{webhookId}/attempts',
  tag: 'webhooks',
  scope: 'read',
  summary: 'List the attempts of a webhook',
  description: 'Newest first. The last 1,000 attempts of 7 days are kept.',
  params: { webhookId },
  query: { outcome: oneOf('Only attempts with this outcome.', deliveryOutcomes) },
  list: { sorts: ['id'], defaultSort: '-id' },
  success: listOf(Attempt, 'The attempts, one page at a time.'),
  example: [exampleAttempt],
  isOffered,
  handle: async ({ caller, params, query, page }, store) => {
    const webhook = await getWebhookRecord(store, caller.workspaceId, params.webhookId);
    return mapPage(await store.deliveries.attempts(webhook, query.outcome, page), attemptView);
  },
});
