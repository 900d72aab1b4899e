import { mapPage } from '../../datastore/list.ts';
import { readOperation } from '../operation.ts';
import { KEY_ID_LENGTH_MAX, text } from '../parameters.ts';
import { AnyKey, exampleKey } from '../schemas/key.ts';
import { listOf } from '../success.ts';
import { anyKeyView } from '../views/key.ts';

export const adminListKeys = readOperation({
  id: 'adminListKeys',
  method: 'GET',
  path: '/admin/keys',
  tag: 'admin',
  scope: 'operate',
  summary: 'Find the workspace of a key',
  description:
    'Keys and sessions of all workspaces. The `hint` of a key is `psk_` and the first 8 characters of its id.',
  query: {
    id: {
      ...text(
        'Only keys whose id is this one or begins with it; also a `hint`, or the first 16 characters of a key.',
        KEY_ID_LENGTH_MAX,
      ),
      example: '3ZrHIxYj',
    },
  },
  list: { sorts: ['id'] },
  success: listOf(AnyKey, 'The keys, one page at a time.'),
  example: [{ ...exampleKey, workspaceId: 2 }],
  handle: async ({ query, page }, store) =>
    mapPage(await store.keys.listAny(query.id?.replace(/^psk_/, ''), page), anyKeyView),
});
