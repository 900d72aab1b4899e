import { mapPage } from '../../datastore/list.ts';
import { notFound } from '../../domain/errors.ts';
import { readOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { exampleMovement, Movement } from '../schemas/inventory.ts';
import { listOf } from '../success.ts';
import { movementView } from '../views/inventory.ts';

export const listMovements = readOperation({
  id: 'listMovements',
  method: 'GET',
  path: '/inventory/{petId}/movements',
  tag: 'inventory',
  scope: 'read',
  summary: 'List the ledger of a pet',
  cacheableUntil: 'workspaceWrites',
  description:
    'Every change of the stock: the key that made it, the reason, and the counts before and after.',
  params: { petId: pathId('ID of the pet.') },
  list: { sorts: ['id'] },
  success: listOf(Movement, 'The rows of the ledger, one page at a time.'),
  example: [exampleMovement],
  handle: async ({ caller, params, page }, store) => {
    const item = await store.stock.find(caller.workspaceId, params.petId);
    if (!item) throw notFound('pet', params.petId);
    return mapPage(
      await store.ledger.list(caller.workspaceId, { petId: params.petId }, page),
      movementView,
    );
  },
});
