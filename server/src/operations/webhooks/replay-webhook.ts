import { replayWebhook as replay } from '../../services/webhooks.ts';
import { writeOperation } from '../operation.ts';
import { exampleWebhook, Replay, Webhook } from '../schemas/webhook.ts';
import { record, versionedBy } from '../success.ts';
import { webhookVersion, webhookView } from '../views/webhook.ts';
import { isOffered, sequenceAfter, webhookId } from './webhook-of-request.ts';

export const replayWebhook = writeOperation({
  id: 'replayWebhook',
  method: 'POST',
  path: '/webhooks/{webhookId}/replay',
  tag: 'webhooks',
  scope: 'manage',
  summary: 'Send events to a webhook again, or skip some',
  description:
    'Moves the cursor to `after`, backward or forward, and sends the events that follow it in order. A pending retry is due at once.',
  params: { webhookId },
  body: Replay,
  requestExample: { after: '0' },
  overwrites: true,
  success: versionedBy(webhookVersion, record(Webhook, 'The webhook as it is now.')),
  errors: ['cursor_unknown', 'events_expired'],
  events: [],
  audits: ['webhook.replayed'],
  example: exampleWebhook,
  isOffered,
  prepare: ({ caller, body }, { events }) => sequenceAfter(events, caller.workspaceId, body.after),
  handle: async ({ caller, params, prepared: cursor, now }, tx) =>
    webhookView(await replay(tx, { caller, id: params.webhookId, cursor, now })),
});
