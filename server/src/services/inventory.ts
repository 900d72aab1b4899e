import type { Transaction } from '../datastore/datastore.ts';
import { notFound } from '../domain/errors.ts';
import { type MovementRecord, reverse, type StockRecord } from '../domain/inventory.ts';
import { adjustQuantity, setQuantity } from '../domain/stock.ts';
import type { Change, RecordChange } from './change.ts';
import { lockPet } from './pets.ts';
import { moveStock } from './stock.ts';

/** What the caller writes into the ledger. */
export interface Note {
  reason?: string | null;
  reference?: string | null;
}

/** The event of every correction of stock. */
export const ADJUSTED = [{ type: 'inventory.adjusted' }] as const;

/** Sets the stock of a pet to a new count. */
export async function updateInventory(
  tx: Transaction,
  input: RecordChange<StockRecord> & { count: Note & { quantity: number } },
): Promise<StockRecord> {
  const { caller, id: petId, count, checkMatch } = input;
  const pet = await lockPet(tx, caller.workspaceId, petId);
  const { stock: before } = pet;
  checkMatch({ petId, stock: before });
  const after = setQuantity(pet, count.quantity);
  if (after.quantity !== before.quantity) {
    const note = { cause: 'set', ...noteOf(count) } as const;
    await moveStock(tx, input, [{ petId, before, after, ...note, events: ADJUSTED }]);
  }
  return { petId, stock: after };
}

/** Adds units to the stock of a pet, or takes them away. */
export async function adjustInventory(
  tx: Transaction,
  input: Change & { id: number; adjustment: Note & { delta: number } },
): Promise<MovementRecord> {
  const { caller, id: petId, adjustment } = input;
  const pet = await lockPet(tx, caller.workspaceId, petId);
  const after = adjustQuantity(pet, adjustment.delta);
  const note = { cause: 'adjusted', ...noteOf(adjustment) } as const;
  const move = { petId, before: pet.stock, after, ...note, events: ADJUSTED };
  const [movement] = await moveStock(tx, input, [move]);
  if (!movement) throw new Error('an adjustment of 0 passed the schema');
  return movement;
}

/** Takes back what a row of the ledger did to the quantity. The lock on the pet makes sure that it happens once. */
export async function reverseMovement(
  tx: Transaction,
  input: Change & { id: number; movementId: number; reason: string | undefined },
): Promise<MovementRecord> {
  const { caller, id: petId, movementId, reason } = input;
  const pet = await lockPet(tx, caller.workspaceId, petId);
  const reversed = await tx.ledger.find(caller.workspaceId, petId, movementId);
  if (!reversed) throw notFound('movement', movementId);
  const after = reverse(pet, reversed);
  const note = { cause: 'adjusted', reason: reason || undefined, reverses: movementId } as const;
  const move = { petId, before: pet.stock, after, ...note, events: ADJUSTED };
  return (await moveStock(tx, input, [move]))[0]!;
}

export function noteOf({ reason, reference }: Note): { reason?: string; reference?: string } {
  return { ...(reason ? { reason } : {}), ...(reference ? { reference } : {}) };
}
