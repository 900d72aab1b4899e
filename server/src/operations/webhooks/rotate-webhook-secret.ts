import { OVERLAP_SECONDS_DEFAULT } from '../../domain/durations.ts';
import { rotateWebhookSecret as rotate } from '../../services/webhooks.ts';
import { writeOperation } from '../operation.ts';
import { exampleNewWebhook, SecretRotation, Webhook } from '../schemas/webhook.ts';
import { created, versionedBy } from '../success.ts';
import { webhookVersion, webhookView, withoutWebhookSecret } from '../views/webhook.ts';
import { gatewayOf, isOffered, webhookId } from './webhook-of-request.ts';

export const rotateWebhookSecret = writeOperation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/webhooks/{webhookId}/rotate',
  tag: 'webhooks',
  scope: 'manage',
  summary: 'Replace the signing secret with a new one',
  description:
    'Both secrets sign for `overlapSeconds`. A secret that was still in its overlap ends at once.',
  params: { webhookId },
  body: SecretRotation,
  requestExample: { overlapSeconds: OVERLAP_SECONDS_DEFAULT },
  isBodyOptional: true,
  success: versionedBy(webhookVersion, created(Webhook, 'The webhook with its new secret.')),
  events: [],
  audits: ['webhook.rotated'],
  example: exampleNewWebhook,
  isOffered,
  handle: async ({ caller, params, body, now }, tx, deps) => {
    const overlapSeconds = body.overlapSeconds ?? OVERLAP_SECONDS_DEFAULT;
    const gateway = gatewayOf(deps);
    const { webhookId: id } = params;
    const { webhook, secret } = await rotate(tx, { caller, id, overlapSeconds, gateway, now });
    return { ...webhookView(webhook), secret };
  },
  storable: withoutWebhookSecret,
});
