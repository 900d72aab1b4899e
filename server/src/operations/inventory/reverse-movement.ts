import { reverseMovement as reverse } from '../../services/inventory.ts';
import { writeOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { exampleReversal, Movement, Reversal } from '../schemas/inventory.ts';
import { created } from '../success.ts';
import { movementView } from '../views/inventory.ts';

export const reverseMovement = writeOperation({
  id: 'reverseMovement',
  method: 'POST',
  path: '/inventory/{petId}/movements/{movementId}/reversal',
  tag: 'inventory',
  scope: 'write',
  summary: 'Undo a change of the stock',
  description:
    'Takes back what a movement did to the quantity and keeps all that came later. ' +
    'Only stock that was set, adjusted or sold can be taken back, and each movement once; ' +
    'to restore it, reverse the reversal. Cancel an order instead of reversing its movements.',
  params: { petId: pathId('ID of the pet.'), movementId: pathId('ID of the movement.') },
  body: Reversal,
  isBodyOptional: true,
  requestExample: { reason: 'typing error' },
  events: ['inventory.adjusted', 'inventory.low'],
  success: created(Movement, 'The new movement.'),
  errors: ['not_reversible', 'already_reversed', 'below_reserved'],
  example: exampleReversal,
  handle: async ({ caller, params, body, now }, tx) => {
    const { petId: id, movementId } = params;
    return movementView(await reverse(tx, { caller, id, movementId, reason: body.reason, now }));
  },
});
