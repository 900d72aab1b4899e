import type { Transaction } from '../../datastore/datastore.ts';
import { Conflict } from '../../datastore/failures.ts';
import type { PetChange } from '../../datastore/pets.ts';
import { invalidField, Refusal } from '../../domain/errors.ts';
import { type NewPet, newPetRecord, type PetRecord, patchPet } from '../../domain/pet.ts';
import type { Change } from '../change.ts';
import { creating, referenceTaken, unknownCategory, writeChanges } from '../pets.ts';
import { moveStock } from '../stock.ts';
import { type Batch, type BatchRow, refuseAny } from './batch.ts';

type PetOutcome = { pet: PetRecord; isNew: boolean } | { refusal: Refusal };

interface PetBatch extends Batch<NewPet> {
  /** A row whose reference a pet has changes that pet. If false, it is refused. */
  isUpdating: boolean;
}

/** What becomes of a row: a pet to insert, a change of one, or a refusal. */
type Decision = { pet: Omit<PetRecord, 'id'> } | PetChange | { refusal: Refusal };

/** Creates or changes the pets of a batch in a few statements, however many they are. The outcomes are in the order of the rows. */
export async function createPets(tx: Transaction, batch: PetBatch): Promise<PetOutcome[]> {
  const { caller, isAllOrNothing, now } = batch;
  const rows = refuseRepeated(await checkCategories(tx, batch));
  const decisions = await decide(tx, { ...batch, rows });
  if (isAllOrNothing) refuseAny(decisions, 'pets');
  const created = (await insert(tx, batch, decisions)).values();
  const changes = decisions.filter((decision) => 'before' in decision);
  await writeChanges(tx, { caller, now }, changes);
  return decisions.map((decision) => {
    if ('refusal' in decision) return decision;
    if ('before' in decision) return { pet: decision.after, isNew: false };
    return { pet: created.next().value!, isNew: true };
  });
}

/** What becomes of each row. Pets that change are locked. */
async function decide(
  tx: Transaction,
  { caller, rows, isUpdating }: PetBatch,
): Promise<Decision[]> {
  const references = rows.flatMap((row) => (row instanceof Refusal ? [] : (row.reference ?? [])));
  const { workspaceId } = caller;
  const found = isUpdating
    ? await tx.pets.lockByReferences(workspaceId, references)
    : await tx.pets.findByReferences(workspaceId, references);
  const owners = new Map(found.map((pet) => [pet.reference!, pet]));
  return rows.map((row) => {
    if (row instanceof Refusal) return { refusal: row };
    const before = row.reference === undefined ? undefined : owners.get(row.reference);
    try {
      if (!before) return { pet: newPetRecord(row) };
      return isUpdating
        ? { before, after: patchPet(before, row) }
        : { refusal: referenceTaken(before) };
    } catch (err) {
      if (err instanceof Refusal) return { refusal: err };
      throw err;
    }
  });
}

async function insert(
  tx: Transaction,
  { caller, now }: Change,
  decisions: readonly Decision[],
): Promise<PetRecord[]> {
  const pets = decisions.flatMap((decision) => ('pet' in decision ? decision.pet : []));
  const ids = await tx.pets.insert(caller.workspaceId, pets, now);
  // The categories are locked, so another request has created a pet with the reference of one.
  if (ids.includes(undefined)) throw new Conflict('another pet got a reference');
  const created = pets.map((pet, at) => ({ id: ids[at]!, ...pet }));
  await moveStock(tx, { caller, now }, created.map(creating));
  return created;
}

async function checkCategories(
  tx: Transaction,
  { caller, rows }: PetBatch,
): Promise<BatchRow<NewPet>[]> {
  const wanted = rows.flatMap((row) => (row instanceof Refusal ? [] : [row.categoryId]));
  const known = await tx.categories.lockKnown(caller.workspaceId, [...new Set(wanted)]);
  return rows.map((row) =>
    row instanceof Refusal || known.has(row.categoryId) ? row : unknownCategory(),
  );
}

/** The first row with a reference counts. */
function refuseRepeated(rows: readonly BatchRow<NewPet>[]): BatchRow<NewPet>[] {
  const seen = new Map<string, number>();
  return rows.map((row, index) => {
    if (row instanceof Refusal || row.reference === undefined) return row;
    const first = seen.get(row.reference);
    if (first !== undefined) return invalidField('reference', `is the same as in pets.${first}`);
    seen.set(row.reference, index);
    return row;
  });
}
