import type { Transaction } from '../datastore/datastore.ts';
import { Conflict } from '../datastore/failures.ts';
import type { NewPetRecord, PetChange } from '../datastore/pets.ts';
import { invalidField, notFound, Refusal } from '../domain/errors.ts';
import {
  type NewPet,
  newPetRecord,
  type PetPatch,
  type PetRecord,
  patchPet,
} from '../domain/pet.ts';
import { petHasOpenOrders, statusOf } from '../domain/stock.ts';
import type { Change, RecordChange } from './change.ts';
import { changedFields, emit, petData } from './events/emit.ts';
import { type Move, moveStock } from './stock.ts';

/** The fields of a pet beside its stock. */
const STORED = ['name', 'categoryId', 'reference', 'lowStockAt', 'metadata'] as const;
const NO_STOCK = { quantity: 0, reserved: 0, held: false };

/** One statement creates the pet where the engine can. */
export async function createPet(
  tx: Transaction,
  { caller, pet, now }: Change & { pet: NewPet },
): Promise<PetRecord> {
  const record = newPetRecord(pet);
  const inSteps = () => createInSteps(tx, { caller, pet: record, now });
  const { keyId, traceparent } = caller;
  const origin = { keyId, at: now, traceparent };
  const id = await tx.pets.create(caller.workspaceId, record, origin, inSteps);
  if (id === undefined) throw await whyNotCreated(tx, caller.workspaceId, record);
  return { id, ...record };
}

async function createInSteps(
  tx: Transaction,
  { caller, pet, now }: Change & { pet: NewPetRecord },
): Promise<number | undefined> {
  const [id] = await tx.pets.insert(caller.workspaceId, [pet], now);
  if (id !== undefined) await moveStock(tx, { caller, now }, [creating({ id, ...pet })]);
  return id;
}

async function whyNotCreated(
  tx: Transaction,
  workspaceId: number,
  { reference, categoryId }: NewPetRecord,
): Promise<Error> {
  if (reference === undefined) return unknownCategory();
  const [owner] = await tx.pets.findByReferences(workspaceId, [reference]);
  if (owner) return referenceTaken(owner);
  if (!(await tx.categories.find(workspaceId, categoryId))) return unknownCategory();
  return new Conflict('the pet that had the reference was deleted meanwhile');
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
  const before = await lockPet(tx, caller.workspaceId, id);
  checkMatch(before);
  return change(tx, { caller, before, patch, now });
}

interface PetPut extends Change {
  reference: string;
  pet: NewPet;
  /** Throws if the client expects another pet than the one with this reference, if there is one. */
  checkMatch: (before: PetRecord | undefined) => void;
}

/**
 * Creates the pet with this reference, or changes it as a patch would. Of many at once one creates it: the others run again,
 * and find it.
 */
export async function putPet(
  tx: Transaction,
  { caller, reference, pet, checkMatch, now }: PetPut,
): Promise<{ pet: PetRecord; isNew: boolean }> {
  const [before] = await tx.pets.lockByReferences(caller.workspaceId, [reference]);
  checkMatch(before);
  if (before) {
    return { pet: await change(tx, { caller, before, patch: pet, now }), isNew: false };
  }
  try {
    return { pet: await createPet(tx, { caller, pet: { ...pet, reference }, now }), isNew: true };
  } catch (err) {
    if (err instanceof Refusal && err.code === 'reference_taken') {
      throw new Conflict('another request created the pet', { cause: err });
    }
    throw err;
  }
}

/** Changes a pet that is locked. */
async function change(
  tx: Transaction,
  { caller, before, patch, now }: Change & { before: PetRecord; patch: PetPatch },
): Promise<PetRecord> {
  const { workspaceId } = caller;
  const after = patchPet(before, patch);
  const { categoryId, reference } = after;
  if (categoryId !== before.categoryId && !(await tx.categories.find(workspaceId, categoryId))) {
    throw unknownCategory();
  }
  if (reference !== undefined && reference !== before.reference) {
    const [owner] = await tx.pets.findByReferences(workspaceId, [reference]);
    if (owner) throw referenceTaken(owner);
  }
  await writeChanges(tx, { caller, now }, [{ before, after }]);
  return after;
}

/** Writes changes of pets that are locked, in a few statements, with their events. A change that changes nothing writes nothing. */
export async function writeChanges(
  tx: Transaction,
  { caller, now }: Change,
  changes: readonly PetChange[],
): Promise<void> {
  const stored = changes.filter(({ before, after }) =>
    changedFields(shown(before), shown(after), STORED),
  );
  if (stored.length > 0 && !(await tx.pets.update(caller.workspaceId, stored))) {
    // The category was deleted after it was found.
    throw unknownCategory();
  }
  await moveStock(tx, { caller, now }, changes.flatMap(updating));
}

function updating({ before, after }: PetChange): Move[] {
  const changed = changedFields(shown(before), shown(after), [...STORED, 'status']);
  // A hold that changes no status is a change too. Its event shows no earlier value.
  if (!changed && before.stock.held === after.stock.held) return [];
  const events = [{ type: 'pet.updated', data: { pet: after }, before: changed ?? {} } as const];
  return [{ petId: after.id, before: before.stock, after: after.stock, cause: 'sold', events }];
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
  const { lowStockAt } = pet.stock;
  return { ...pet, lowStockAt, status: statusOf(pet.stock) };
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

export function unknownCategory(): Refusal {
  return invalidField('categoryId', 'names no category of this workspace');
}

/** The refusal of a reference that this pet has. */
export function referenceTaken({ id, name, reference = '' }: PetRecord): Refusal {
  return new Refusal('reference_taken', {
    message: `Pet ${id}, "${name}", has the reference "${reference}". Choose another, or update that pet.`,
    details: { petId: id, reference },
  });
}
