import { invalidField } from '../../domain/errors.ts';
import { parseEventCursor } from '../../domain/event-cursor.ts';
import { actionOperation } from '../operation.ts';
import { Attempt, exampleAttempt, Redelivery } from '../schemas/webhook.ts';
import { value } from '../success.ts';
import { attemptView } from '../views/webhook.ts';
import { gatewayOf, getWebhookRecord, isOffered, webhookId } from './webhook-of-request.ts';

export const redeliverEvent = actionOperation({
  id: 'redeliverEvent',
  method: 'POST',
  path: '/webhooks/{webhookId}/deliveries',
  tag: 'webhooks',
  scope: 'manage',
  summary: 'Send one event to a webhook again',
  description:
    'Sends the event at once and leaves the cursor where it is. Once it is delivered, it is no longer parked. Nothing is sent while the webhook is disabled or its URL is not verified.',
  params: { webhookId },
  body: Redelivery,
  requestExample: { eventId: '1' },
  success: value(Attempt, 'The outcome of the attempt.'),
  errors: ['cursor_unknown', 'events_expired', 'too_many_redeliveries', 'webhook_not_enabled'],
  events: [],
  example: exampleAttempt,
  isOffered,
  handle: async ({ caller, params, body }, store, deps) => {
    const webhook = await getWebhookRecord(store, caller.workspaceId, params.webhookId);
    const cursor = parseEventCursor(body.eventId, caller.workspaceId);
    if (!cursor) throw invalidField('eventId', 'must be the id of an event of this workspace');
    const event = await deps.events.get(caller.workspaceId, cursor);
    return attemptView(await gatewayOf(deps).redeliver(webhook, event));
  },
});
