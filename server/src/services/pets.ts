import type { Transaction } from '../datastore/datastore.ts';
import { invalidField, notFound, type Refusal } from '../domain/errors.ts';
import type { MovementRecord } from '../domain/inventory.ts';
import type { NewPet, PetPatch, PetRecord } from '../domain/pet.ts';
import { changeStatus, openingStock, petHasOpenOrders, statusOf } from '../domain/stock.ts';
import type { Change, RecordChange } from './change.ts';
import { changedFields, emit, stockEvents } from './events/emit.ts';

export async function createPet(
  tx: Transaction,
  { caller, pet, now }: Change & { pet: NewPet },
): Promise<PetRecord> {
  const { name, categoryId, status = 'available' } = pet;
  const stock = openingStock(status);
  const origin = { keyId: caller.keyId, at: now };
  const id = await tx.pets.create(caller.workspaceId, { name, categoryId, stock }, origin);
  if (id === undefined) throw unknownCategory();
  return { id, name, categoryId, stock };
}

export async function updatePet(
  tx: Transaction,
  { caller, id, patch, checkMatch, now }: RecordChange<PetRecord> & { patch: PetPatch },
): Promise<PetRecord> {
  const { workspaceId, keyId } = caller;
  const before = await lockPet(tx, workspaceId, id);
  checkMatch(before);
  const stock = patch.status ? changeStatus(before, patch.status) : before.stock;
  const { name = before.name, categoryId = before.categoryId } = patch;
  const after: PetRecord = { id, name, categoryId, stock };
  if (categoryId !== before.categoryId && !(await tx.categories.find(workspaceId, categoryId))) {
    throw unknownCategory();
  }
  if (name !== before.name || categoryId !== before.categoryId) {
    // The category can be deleted after it was found.
    if (!(await tx.pets.update(workspaceId, after))) throw unknownCategory();
  }
  const origin = { cause: 'sold', keyId, at: now } as const;
  const movement = await tx.inventory.change(id, before.stock, stock, origin);
  await emitUpdated(tx, { caller, now, before, after, movement });
  return after;
}

export async function deletePet(
  tx: Transaction,
  { caller, id, checkMatch, now }: RecordChange<PetRecord>,
): Promise<void> {
  const pet = await lockPet(tx, caller.workspaceId, id);
  checkMatch(pet);
  if (!(await tx.pets.hide(caller.workspaceId, id, now))) throw petHasOpenOrders(pet);
  await emit(tx, { caller, now }, { type: 'pet.deleted', data: { pet } });
}

type PetChange = Change & {
  before: PetRecord;
  after: PetRecord;
  movement: MovementRecord | undefined;
};

/** A hold that changes no status is a change too. Its event shows no earlier value. */
async function emitUpdated(tx: Transaction, change: PetChange): Promise<void> {
  const { caller, now, before, after, movement } = change;
  const shown = ({ name, categoryId, stock }: PetRecord) => {
    return { name, categoryId, status: statusOf(stock) };
  };
  const fields = ['name', 'categoryId', 'status'] as const;
  const changed = changedFields(shown(before), shown(after), fields);
  if (!changed && before.stock.held === after.stock.held) return;
  if (movement) {
    const step = { movement, before: before.stock, after: after.stock };
    const shownWith = { caller, now, data: { pet: after }, earlier: changed ?? {} };
    return tx.events.append(caller.workspaceId, stockEvents('pet.updated', step, shownWith));
  }
  const event = { type: 'pet.updated', data: { pet: after }, before: changed ?? {} } as const;
  await emit(tx, { caller, now }, event);
}

/** The pet, locked until the transaction ends. */
export async function lockPet(
  tx: Transaction,
  workspaceId: number,
  id: number,
): Promise<PetRecord> {
  const pet = await tx.pets.findAndLock(workspaceId, id);
  if (!pet) throw notFound('pet', id);
  return pet;
}

function unknownCategory(): Refusal {
  return invalidField('categoryId', 'names no category of this workspace');
}
