import { adjustInventory as adjust } from '../../services/inventory.ts';
import { writeOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { Adjustment, exampleMovement, Movement } from '../schemas/inventory.ts';
import { created } from '../success.ts';
import { movementView } from '../views/inventory.ts';

export const adjustInventory = writeOperation({
  id: 'adjustInventory',
  method: 'POST',
  path: '/inventory/{petId}/adjustments',
  tag: 'inventory',
  scope: 'write',
  summary: 'Adjust the stock of a pet',
  description: 'Adds units to the stock or removes them, with a reason for the ledger.',
  params: { petId: pathId('ID of the pet.') },
  body: Adjustment,
  requestExample: { delta: 2, reason: 'delivery', reference: 'PO-1024' },
  events: ['inventory.adjusted', 'inventory.low'],
  success: created(Movement, 'The row that was written to the ledger.'),
  errors: ['below_reserved'],
  example: exampleMovement,
  handle: async ({ caller, params, body, now }, tx) =>
    movementView(await adjust(tx, { caller, id: params.petId, adjustment: body, now })),
});
