import { createWebhook as create } from '../../services/webhooks.ts';
import { writeOperation } from '../operation.ts';
import { deliveries } from '../schemas/delivery.ts';
import { exampleNewWebhook, NewWebhook, Webhook } from '../schemas/webhook.ts';
import { created, versionedBy } from '../success.ts';
import { webhookVersion, webhookView, withoutWebhookSecret } from '../views/webhook.ts';
import { gatewayOf, isOffered, sequenceAfter } from './webhook-of-request.ts';

export const createWebhook = writeOperation({
  id: 'createWebhook',
  method: 'POST',
  path: '/webhooks',
  tag: 'webhooks',
  scope: 'manage',
  summary: 'Create a webhook',
  description:
    'Only this response contains the signing secret. The service sends a ping to the URL; after the first 2xx it sends events. Defaults: `types` `["*"]`, `after` `latest`, `batchMax` 1, `perSecondMax` 20.',
  body: NewWebhook,
  requestExample: { url: 'https://shop.example/hooks', types: ['order.*'] },
  success: versionedBy(
    webhookVersion,
    created(Webhook, 'The webhook that was created.', ({ id }) => `/webhooks/${id}`),
  ),
  errors: ['cursor_unknown', 'events_expired', 'webhook_limit_reached'],
  events: [],
  audits: ['webhook.created'],
  example: exampleNewWebhook,
  callbacks: deliveries,
  isOffered,
  prepare: async ({ caller, body }, deps) => {
    await gatewayOf(deps).checkUrl(body.url);
    return sequenceAfter(deps.events, caller.workspaceId, body.after);
  },
  handle: async ({ caller, body, now, prepared: cursor }, tx, deps) => {
    const { url, types = ['*'], description, batchMax = 1, perSecondMax = 20, secret } = body;
    const settings = {
      url,
      types,
      batchMax,
      perSecondMax,
      ...(description === undefined ? {} : { description }),
    };
    const gateway = gatewayOf(deps);
    const own = secret === undefined ? {} : { secret };
    const made = await create(tx, { caller, settings, cursor, gateway, now, ...own });
    return { ...webhookView(made.webhook), secret: made.secret };
  },
  storable: withoutWebhookSecret,
});
