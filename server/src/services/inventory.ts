import type { Transaction } from '../datastore/datastore.ts';
import { Refusal } from '../domain/errors.ts';
import { type InventoryItem, inventoryItemOf, type Movement } from '../domain/inventory.ts';
import type { Caller } from '../domain/key.ts';
import type { PetRecord } from '../domain/pet.ts';
import { adjustQuantity, setQuantity } from '../domain/stock.ts';
import type { CheckMatch } from './pets.ts';

interface Motive {
  reason?: string | null;
  reference?: string | null;
}

export async function setStock(
  tx: Transaction,
  caller: Caller,
  petId: number,
  input: Motive & { quantity: number },
  checkMatch: CheckMatch<InventoryItem>,
  now: number,
): Promise<InventoryItem> {
  const { stock } = await getPet(tx, caller, petId);
  checkMatch(inventoryItemOf(petId, stock));
  const after = setQuantity(stock, input.quantity);
  await tx.inventory.change(petId, stock, after, { cause: 'set', ...whyOf(caller, input, now) });
  return inventoryItemOf(petId, after);
}

export async function adjustStock(
  tx: Transaction,
  caller: Caller,
  petId: number,
  input: Motive & { delta: number },
  now: number,
): Promise<Movement> {
  const { stock } = await getPet(tx, caller, petId);
  const after = adjustQuantity(stock, input.delta);
  const why = { cause: 'adjusted', ...whyOf(caller, input, now) } as const;
  const movement = await tx.inventory.change(petId, stock, after, why);
  if (!movement) throw new Error('an adjustment changed nothing');
  return movement;
}

async function getPet(tx: Transaction, caller: Caller, petId: number): Promise<PetRecord> {
  const pet = await tx.pets.findAndLock(caller.workspaceId, petId);
  if (!pet) throw new Refusal('not_found');
  return pet;
}

function whyOf(caller: Caller, { reason, reference }: Motive, at: number) {
  return {
    keyId: caller.keyId,
    at,
    ...(reason ? { reason } : {}),
    ...(reference ? { reference } : {}),
  };
}
