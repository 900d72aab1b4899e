import type { Transaction } from '../datastore/datastore.ts';
import { notFound } from '../domain/errors.ts';
import { type MovementRecord, reverse, type StockRecord } from '../domain/inventory.ts';
import { adjustQuantity, setQuantity } from '../domain/stock.ts';
import type { Change, RecordChange } from './change.ts';
import { type StockStep, stockEvents } from './events/emit.ts';
import { lockPet } from './pets.ts';

/** What the caller writes into the ledger. */
export interface Note {
  reason?: string | null;
  reference?: string | null;
}

/** Sets the stock of a pet to a new count. */
export async function updateInventory(
  tx: Transaction,
  input: RecordChange<StockRecord> & { count: Note & { quantity: number } },
): Promise<StockRecord> {
  const { caller, id, count, checkMatch, now } = input;
  const pet = await lockPet(tx, caller.workspaceId, id);
  checkMatch({ petId: id, stock: pet.stock });
  const after = setQuantity(pet, count.quantity);
  const origin = { cause: 'set', keyId: caller.keyId, at: now, ...noteOf(count) } as const;
  const movement = await tx.inventory.change(id, pet.stock, after, origin);
  if (movement) await emitAdjusted(tx, input, { movement, before: pet.stock, after });
  return { petId: id, stock: after };
}

/** Adds units to the stock of a pet, or takes them away. */
export async function adjustInventory(
  tx: Transaction,
  input: Change & { id: number; adjustment: Note & { delta: number } },
): Promise<MovementRecord> {
  const { caller, id, adjustment, now } = input;
  const pet = await lockPet(tx, caller.workspaceId, id);
  const after = adjustQuantity(pet, adjustment.delta);
  const origin = {
    cause: 'adjusted',
    keyId: caller.keyId,
    at: now,
    ...noteOf(adjustment),
  } as const;
  const movement = await tx.inventory.change(id, pet.stock, after, origin);
  if (!movement) throw new Error('an adjustment of 0 passed the schema');
  await emitAdjusted(tx, input, { movement, before: pet.stock, after });
  return movement;
}

/** Takes back what a row of the ledger did to the quantity. The lock on the pet makes sure that it happens once. */
export async function reverseMovement(
  tx: Transaction,
  input: Change & { id: number; movementId: number; reason: string | undefined },
): Promise<MovementRecord> {
  const { caller, id, movementId, reason, now } = input;
  const pet = await lockPet(tx, caller.workspaceId, id);
  const reversed = await tx.inventory.findMovement(id, movementId);
  if (!reversed) throw notFound('movement', movementId);
  const after = reverse(pet, reversed);
  const note = { ...noteOf({ reason: reason ?? null }), reverses: movementId };
  const origin = { cause: 'adjusted', keyId: caller.keyId, at: now, ...note } as const;
  const movement = (await tx.inventory.change(id, pet.stock, after, origin))!;
  await emitAdjusted(tx, input, { movement, before: pet.stock, after });
  return movement;
}

function emitAdjusted(tx: Transaction, change: Change, step: StockStep): Promise<void> {
  const { workspaceId } = change.caller;
  return tx.events.append(workspaceId, stockEvents('inventory.adjusted', step, change));
}

export function noteOf({ reason, reference }: Note): { reason?: string; reference?: string } {
  return { ...(reason ? { reason } : {}), ...(reference ? { reference } : {}) };
}
