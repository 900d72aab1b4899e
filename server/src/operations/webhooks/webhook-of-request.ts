import type { Readers } from '../../datastore/datastore.ts';
import { notFound } from '../../domain/errors.ts';
import { LATEST, readEventCursor } from '../../domain/event-cursor.ts';
import type { WebhookRecord } from '../../domain/webhook.ts';
import type { EventFeed } from '../../services/events/event-feed.ts';
import type { WebhookGateway } from '../../services/webhooks.ts';
import type { Dependencies } from '../operation.ts';
import { pathId } from '../parameters.ts';

export const webhookId = pathId('ID of the webhook.');

/** Without a key that seals secrets there are no webhooks. */
export function isOffered({ webhooks }: Dependencies): boolean {
  return webhooks !== undefined;
}

/** For operations that are offered, so there is a gateway. */
export function gatewayOf({ webhooks }: Dependencies): WebhookGateway {
  if (!webhooks) throw new Error('a webhook operation ran without a secret key');
  return webhooks;
}

/** The number of the event that a cursor names. Throws a Refusal if the feed does not have it. */
export async function sequenceAfter(
  events: EventFeed,
  workspaceId: number,
  text: string = LATEST,
): Promise<number> {
  const after = readEventCursor(text, { workspaceId, field: 'after' });
  return (await events.list({ workspaceId, after, limit: 0 })).cursor.sequence;
}

export async function getWebhookRecord(
  store: Pick<Readers, 'webhooks'>,
  workspaceId: number,
  id: number,
): Promise<WebhookRecord> {
  const webhook = await store.webhooks.find(workspaceId, id);
  if (!webhook) throw notFound('webhook', id);
  return webhook;
}
