import { mapPage } from '../../datastore/list.ts';
import { movementCauses } from '../../domain/inventory.ts';
import { readOperation } from '../operation.ts';
import { instant, KEY_ID_LENGTH_MAX, oneOf, queryId, text } from '../parameters.ts';
import { exampleMovement, Movement } from '../schemas/inventory.ts';
import { listOf } from '../success.ts';
import { movementView } from '../views/inventory.ts';

export const listLedger = readOperation({
  id: 'listLedger',
  method: 'GET',
  path: '/movements',
  tag: 'inventory',
  scope: 'read',
  summary: 'List the ledger of the workspace',
  cacheableUntil: 'workspaceWrites',
  description:
    'Every change of stock, newest first, also of deleted pets. A filtered page may have fewer rows than `limit`, or none; continue while there is a `next` link.',
  query: {
    petId: queryId('Only rows of this pet.'),
    cause: oneOf('Only rows of this cause.', movementCauses),
    keyId: text('Only rows of this API key or session.', KEY_ID_LENGTH_MAX),
    from: instant('Only rows at this time or later.'),
    to: instant('Only rows before this time.'),
  },
  list: { sorts: ['id'], defaultSort: '-id' },
  success: listOf(Movement, 'The rows of the ledger, one page at a time.'),
  example: [exampleMovement],
  handle: async ({ caller, query, page }, store) =>
    mapPage(await store.ledger.list(caller.workspaceId, query, page), movementView),
});
