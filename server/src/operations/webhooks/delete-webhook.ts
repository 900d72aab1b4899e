import { deleteWebhook as remove } from '../../services/webhooks.ts';
import { writeOperation } from '../operation.ts';
import { empty } from '../success.ts';
import { webhookVersion, webhookView } from '../views/webhook.ts';
import { isOffered, webhookId } from './webhook-of-request.ts';

export const deleteWebhook = writeOperation({
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/webhooks/{webhookId}',
  tag: 'webhooks',
  scope: 'manage',
  summary: 'Delete a webhook',
  description: 'Also deletes its attempts and its parked events.',
  params: { webhookId },
  isConditional: true,
  success: empty('The webhook was deleted.'),
  events: [],
  audits: ['webhook.deleted'],
  isOffered,
  handle: ({ caller, params, checkMatch, now }, tx) =>
    remove(tx, {
      caller,
      id: params.webhookId,
      checkMatch: (current) => checkMatch(webhookVersion(webhookView(current))),
      now,
    }),
});
