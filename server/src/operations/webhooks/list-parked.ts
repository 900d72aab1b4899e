import { readOperation } from '../operation.ts';
import { exampleParked, Parked } from '../schemas/webhook.ts';
import { listOf } from '../success.ts';
import { parkedView } from '../views/webhook.ts';
import { getWebhookRecord, isOffered, webhookId } from './webhook-of-request.ts';

export const listParked = readOperation({
  id: 'listParked',
  method: 'GET',
  path: '/webhooks/{webhookId}/parked',
  tag: 'webhooks',
  scope: 'read',
  summary: 'List the parked events of a webhook',
  description: 'Events that the receiver rejected while it accepted later ones.',
  params: { webhookId },
  list: { sorts: ['id'] },
  success: listOf(Parked, 'The parked events, one page at a time.'),
  example: [exampleParked],
  isOffered,
  handle: async ({ caller, params, page }, store) => {
    const { workspaceId } = caller;
    const webhook = await getWebhookRecord(store, workspaceId, params.webhookId);
    const { items, ...rest } = await store.deliveries.parked(webhook, page);
    const views = items.map(async (parked) => {
      const range = { after: parked.sequence - 1, limit: 1 };
      const [event] = await store.events.page(workspaceId, range);
      return parkedView(parked, event?.sequence === parked.sequence ? event : undefined);
    });
    return { ...rest, items: await Promise.all(views) };
  },
});
