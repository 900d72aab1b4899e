import type { Transaction } from '../datastore/datastore.ts';
import { invalidField, Refusal } from '../domain/errors.ts';
import type { Caller } from '../domain/key.ts';
import { type NewPet, type Pet, type PetPatch, type PetRecord, petOf } from '../domain/pet.ts';
import { changeStatus, openingStock } from '../domain/stock.ts';

export type CheckMatch<T> = (current: T) => void;

export async function createPet(tx: Transaction, caller: Caller, input: NewPet, now: number) {
  const { name, categoryId } = input;
  const stock = openingStock(input.status ?? 'available');
  const id = await tx.pets.create(caller.workspaceId, { name, categoryId, stock });
  if (id === undefined) throw unknownCategory();
  await tx.inventory.open(id, stock, { keyId: caller.keyId, at: now });
  return petOf({ id, name, categoryId, stock });
}

export async function updatePet(
  tx: Transaction,
  caller: Caller,
  id: number,
  patch: PetPatch,
  checkMatch: CheckMatch<Pet>,
  now: number,
): Promise<Pet> {
  const before = await getPet(tx, caller, id);
  checkMatch(petOf(before));
  const stock = patch.status ? changeStatus(before.stock, patch.status) : before.stock;
  const after: PetRecord = {
    id,
    name: patch.name ?? before.name,
    categoryId: patch.categoryId ?? before.categoryId,
    stock,
  };
  if (after.name !== before.name || after.categoryId !== before.categoryId) {
    await saveNameAndCategory(tx, caller, before, after);
  }
  await tx.inventory.change(id, before.stock, stock, {
    cause: 'sold',
    keyId: caller.keyId,
    at: now,
  });
  return petOf(after);
}

export async function deletePet(
  tx: Transaction,
  caller: Caller,
  id: number,
  checkMatch: CheckMatch<Pet>,
  now: number,
): Promise<void> {
  const pet = await getPet(tx, caller, id);
  checkMatch(petOf(pet));
  if (!(await tx.pets.hide(caller.workspaceId, id, now))) {
    throw new Refusal('pet_has_open_orders', { details: { reserved: pet.stock.reserved } });
  }
}

async function getPet(tx: Transaction, caller: Caller, id: number): Promise<PetRecord> {
  const pet = await tx.pets.findAndLock(caller.workspaceId, id);
  if (!pet) throw new Refusal('not_found');
  return pet;
}

async function saveNameAndCategory(
  tx: Transaction,
  caller: Caller,
  before: PetRecord,
  after: PetRecord,
): Promise<void> {
  const { workspaceId } = caller;
  const isMoved = after.categoryId !== before.categoryId;
  const isKnown = !isMoved || (await tx.categories.find(workspaceId, after.categoryId));
  if (!isKnown || !(await tx.pets.update(workspaceId, after))) throw unknownCategory();
}

function unknownCategory(): Refusal {
  return invalidField('categoryId', 'names no category of this workspace');
}
