import { mapPage } from '../../datastore/list.ts';
import { readOperation } from '../operation.ts';
import { KEY_ID_LENGTH_MAX, oneOf, repeated, text } from '../parameters.ts';
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
  query: {
    id: repeated(text('Only these keys; may be repeated up to 100 times.', KEY_ID_LENGTH_MAX), 100),
    sessions: oneOf(
      'Which sessions of the console: `all`, those that have not ended, or none. `all` if absent.',
      ['all', 'open', 'none'],
      { default: 'all' },
    ),
  },
  list: { sorts: ['id'] },
  success: listOf(Key, 'The keys, one page at a time.'),
  example: [exampleKey],
  handle: async ({ caller, query: { id: ids, sessions }, page, now }, store) => {
    const filter = { ids, sessions, now };
    return mapPage(await store.keys.list(caller.workspaceId, filter, page), keyView);
  },
});
