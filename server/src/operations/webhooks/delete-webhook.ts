import { deleteWebhook as remove } from '../../services/webhooks.ts';
import { writeOperation } from '../operation.ts';
import { WebhookVersion } from '../schemas/webhook.ts';
import { empty } from '../success.ts';
import { webhookView } from '../views/webhook.ts';
import { isOpen, noteChange, webhookId } from './webhook-of-request.ts';

export const deleteWebhook = writeOperation({
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/webhooks/{webhookId}',
  tag: 'webhooks',
  scope: 'manage',
  summary: 'Delete a webhook',
  description: 'Also deletes its attempts and its parked events.',
  params: { webhookId },
  matches: WebhookVersion,
  success: empty('The webhook was deleted.'),
  events: [],
  isOpen,
  handle: ({ caller, params, checkMatch, now }, tx) =>
    remove(tx, {
      caller,
      id: params.webhookId,
      checkMatch: (current) => checkMatch(webhookView(current)),
      now,
    }),
  afterCommit: noteChange,
});
