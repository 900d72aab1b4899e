// Every screen of the console, with something on it.

import type { TestApp } from '../../../server/test/support/app.ts';
import { stocked } from './console.ts';

/** As long as a name can be, and one word. */
export const LONG_NAME = 'Donaudampfschifffahrt'.repeat(10).slice(0, 200);

export interface Records {
  petId: number;
  orderId: number;
  webhookId: string;
  /** A request that wrote. */
  requestId: string;
  /** The name of a key that can be rotated and revoked. */
  keyName: string;
}

/** One record of each kind. The pets have `names`, and so have the category, the key and the reason of a movement. */
export async function oneOfEach(app: TestApp, names = ['Beagle puppy']): Promise<Records> {
  const { pets } = await stocked(app, Object.fromEntries(names.map((name) => [name, 3])));
  const [name] = names as [string];
  const petId = pets[name]!;
  await app.call('POST', '/v1/categories', { body: { name, description: name } });
  await app.call('POST', `/v1/inventory/${petId}/adjustments`, {
    body: { delta: 6, reason: name },
  });
  const texts = { customer: 'Grace Hopper', reference: name.slice(0, 100), note: name };
  const orders = [1, 2].map((quantity) => ({ petId, quantity, ...texts }));
  const placed = await app.call('POST', '/v1/store/orders/batch', { body: { orders } });
  const key = await app.call('POST', '/v1/keys', { body: { name, scopes: ['read'] } });
  const webhook = await app.call('POST', '/v1/webhooks', {
    body: { url: 'http://127.0.0.1:9/hook', description: name },
  });
  return {
    petId,
    orderId: placed.body.results[0].order.id,
    webhookId: webhook.body.id,
    requestId: placed.headers.get('x-request-id')!,
    keyName: key.body.name,
  };
}

/** The name and the path of each screen. */
export function screensOf(records: Records): Record<string, string> {
  const { petId, orderId, webhookId, requestId } = records;
  return {
    'the overview': '',
    inventory: '/inventory',
    'counting stock': '/inventory/count',
    'a pet': `/inventory?pet=${petId}`,
    orders: '/orders',
    'an order': `/orders/${orderId}`,
    'a new order': `/orders/new?petId=${petId}`,
    'the catalogue': '/catalogue',
    categories: '/catalogue/categories',
    'the ledger': '/ledger',
    keys: '/keys',
    usage: '/usage',
    plan: '/plan',
    requests: '/requests',
    'a request': `/requests/${requestId}`,
    events: '/events',
    'an event': '/events/1',
    'the orders of one reference': '/orders?q=Hopper',
    'what is low': '/inventory?low=1',
    webhooks: '/webhooks',
    'a webhook': `/webhooks/${webhookId}`,
    'the audit log': '/audit',
    settings: '/settings',
    'the nodes': '/service',
    'all keys': '/all-keys',
    workspaces: '/workspaces',
    'a workspace': '/workspaces/1',
    bans: '/bans',
    'an address that leads nowhere': '/nowhere',
  };
}
