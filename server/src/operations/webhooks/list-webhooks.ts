import { readOperation } from '../operation.ts';
import { exampleWebhook, Webhook } from '../schemas/webhook.ts';
import { listOf } from '../success.ts';
import { webhookView } from '../views/webhook.ts';
import { isOffered } from './webhook-of-request.ts';

export const listWebhooks = readOperation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  tag: 'webhooks',
  scope: 'read',
  summary: 'List webhooks',
  description: 'Each with its state, its cursor and how many events it is behind.',
  list: { sorts: ['id'] },
  success: listOf(Webhook, 'The webhooks, one page at a time.'),
  example: [exampleWebhook],
  isOffered,
  handle: async ({ caller, page, now }, store) => {
    const { workspaceId } = caller;
    const { items, ...rest } = await store.webhooks.list(workspaceId, page);
    const statuses = await store.webhooks.statusesOf(workspaceId, items, now);
    return { ...rest, items: statuses.map(webhookView) };
  },
});
