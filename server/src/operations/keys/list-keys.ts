import { mapPage } from '../../datastore/page.ts';
import { readOperation } from '../operation.ts';
import { exampleKey, Key } from '../schemas/key.ts';
import { listOf } from '../success.ts';
import { keyView } from '../views/key.ts';

export const listKeys = readOperation({
  id: 'listKeys',
  method: 'GET',
  path: '/keys',
  tag: 'keys',
  scope: 'read',
  summary: 'List the keys of the workspace',
  description:
    'Revoked and expired keys are included. Sessions of the console are keys with a `parentId`; they are listed until 90 days after their end.',
  list: { sorts: ['id'], positionOf: (key: { id: string }) => ({ id: 0, key: key.id }) },
  success: listOf(Key, 'The keys, one page at a time.'),
  example: [exampleKey],
  handle: async ({ caller, page }, store) =>
    mapPage(await store.keys.list(caller.workspaceId, page), keyView),
});
