import { listOf, readOperation } from '../operation.ts';
import { exampleKey, Key, keyView } from '../schemas/account.ts';

export const listKeys = readOperation({
  id: 'listKeys',
  method: 'GET',
  path: '/keys',
  tag: 'keys',
  scope: 'read',
  summary: 'List the keys of the workspace',
  description: 'Also those that were revoked or have expired.',
  list: { sorts: ['id'], positionOf: (key: { id: string }) => ({ id: 0, key: key.id }) },
  success: listOf(Key, 'The keys, one page of them.'),
  example: [exampleKey],
  handle: async ({ caller, page }, store) => {
    const found = await store.keys.list(caller.workspaceId, page as never);
    return { items: found.items.map(keyView), hasMore: found.hasMore };
  },
});
