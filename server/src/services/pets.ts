import type { Transaction } from '../datastore/datastore.ts';
import type { NewPetRecord } from '../datastore/pets.ts';
import { invalidField, notFound, type Refusal } from '../domain/errors.ts';
import { mergeMetadata } from '../domain/metadata.ts';
import type { NewPet, PetPatch, PetRecord } from '../domain/pet.ts';
import { changeStatus, openingStock, petHasOpenOrders, statusOf } from '../domain/stock.ts';
import type { Change, RecordChange } from './change.ts';
import { changedFields, emit, petData } from './events/emit.ts';
import { type Move, moveStock } from './stock.ts';

/** The fields of a pet beside its stock. */
const STORED = ['name', 'categoryId', 'metadata'] as const;
const NO_STOCK = { quantity: 0, reserved: 0, held: false };

/** One statement creates the pet where the engine can. */
export async function createPet(
  tx: Transaction,
  { caller, pet, now }: Change & { pet: NewPet },
): Promise<PetRecord> {
  const record = newRecord(pet);
  const inSteps = () => createInSteps(tx, { caller, pet: record, now });
  const { keyId, traceparent } = caller;
  const origin = { keyId, at: now, traceparent };
  const id = await tx.pets.create(caller.workspaceId, record, origin, inSteps);
  if (id === undefined) throw unknownCategory();
  return { id, ...record };
}

/** A new pet as it is stored. */
export function newRecord({
  name,
  categoryId,
  status = 'available',
  ...given
}: NewPet): NewPetRecord {
  const metadata = mergeMetadata(undefined, given.metadata);
  return { name, categoryId, stock: openingStock(status), ...(metadata ? { metadata } : {}) };
}

async function createInSteps(
  tx: Transaction,
  { caller, pet, now }: Change & { pet: NewPetRecord },
): Promise<number | undefined> {
  const [id] = await tx.pets.insert(caller.workspaceId, [pet], now);
  if (id !== undefined) await moveStock(tx, { caller, now }, [creating({ id, ...pet })]);
  return id;
}

/** The first row of the ledger of a pet that was inserted with its stock. */
export function creating(pet: PetRecord): Move {
  const events = [{ type: 'pet.created', data: { pet } } as const];
  return { petId: pet.id, before: NO_STOCK, after: pet.stock, cause: 'created', events };
}

export async function updatePet(
  tx: Transaction,
  { caller, id, patch, checkMatch, now }: RecordChange<PetRecord> & { patch: PetPatch },
): Promise<PetRecord> {
  const { workspaceId } = caller;
  const before = await lockPet(tx, workspaceId, id);
  checkMatch(before);
  const stock = patch.status ? changeStatus(before, patch.status) : before.stock;
  const { name = before.name, categoryId = before.categoryId } = patch;
  const metadata = mergeMetadata(before.metadata, patch.metadata);
  const after: PetRecord = { id, name, categoryId, stock, ...(metadata ? { metadata } : {}) };
  if (categoryId !== before.categoryId && !(await tx.categories.find(workspaceId, categoryId))) {
    throw unknownCategory();
  }
  if (changedFields(before, after, STORED)) {
    // The category can be deleted after it was found.
    if (!(await tx.pets.update(workspaceId, after))) throw unknownCategory();
  }
  const changed = changedFields(shown(before), shown(after), [...STORED, 'status']);
  // A hold that changes no status is a change too. Its event shows no earlier value.
  if (!changed && before.stock.held === stock.held) return after;
  const events = [{ type: 'pet.updated', data: { pet: after }, before: changed ?? {} } as const];
  const move = { petId: id, before: before.stock, after: stock, cause: 'sold', events } as const;
  await moveStock(tx, { caller, now }, [move]);
  return after;
}

export async function deletePet(
  tx: Transaction,
  { caller, id, checkMatch, now }: RecordChange<PetRecord>,
): Promise<void> {
  const pet = await lockPet(tx, caller.workspaceId, id);
  checkMatch(pet);
  if (!(await tx.pets.hide(caller.workspaceId, id, now))) throw petHasOpenOrders(pet);
  await emit(tx, { caller, now }, { type: 'pet.deleted', data: petData(pet) });
}

function shown(pet: PetRecord) {
  return { ...pet, status: statusOf(pet.stock) };
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
