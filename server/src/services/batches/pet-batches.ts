import type { Transaction } from '../../datastore/datastore.ts';
import { Conflict } from '../../datastore/failures.ts';
import type { PetChange } from '../../datastore/pets.ts';
import { type FieldFault, Refusal } from '../../domain/errors.ts';
import { type NewPet, newPetRecord, type PetRecord, patchPet } from '../../domain/pet.ts';
import type { Change } from '../change.ts';
import { creating, referenceTaken, writeChanges } from '../pets.ts';
import { moveStock } from '../stock.ts';

/** A row that is refused: its faults, and the refusal where it is no 400. */
interface Refused {
  faults: readonly FieldFault[];
  refusal?: Refusal;
}

/** A row of a batch: a pet to create, or the faults that its checks have found. */
export type PetBatchRow = NewPet | Refused;
type PetOutcome = { pet: PetRecord; isNew: boolean } | Refused;

interface PetBatch extends Change {
  rows: readonly PetBatchRow[];
  /** One bad row refuses the batch. If false, bad rows are skipped and their outcomes name the faults. */
  isAllOrNothing: boolean;
  /** A row whose reference a pet has changes that pet. If false, it is refused. */
  isUpdating: boolean;
}

/** A row that is done: a pet to insert, or a change of one. */
type Decision = { pet: Omit<PetRecord, 'id'> } | PetChange | Refused;

/** Creates or changes the pets of a batch in a few statements, however many they are. The outcomes are in the order of the rows. */
export async function createPets(tx: Transaction, batch: PetBatch): Promise<PetOutcome[]> {
  const { caller, isAllOrNothing, now } = batch;
  const checked = refuseRepeated(await checkCategories(tx, caller.workspaceId, batch.rows));
  const decisions = await decide(tx, { ...batch, rows: checked });
  if (isAllOrNothing) refuseFaults(decisions);
  const created = (await insert(tx, batch, decisions)).values();
  const changes = decisions.filter((decision) => 'before' in decision);
  await writeChanges(tx, { caller, now }, changes);
  return decisions.map((decision) => {
    if ('faults' in decision) return decision;
    if ('before' in decision) return { pet: decision.after, isNew: false };
    return { pet: created.next().value!, isNew: true };
  });
}

/** What becomes of each row. Pets that change are locked. */
async function decide(
  tx: Transaction,
  { caller, rows, isUpdating }: Pick<PetBatch, 'caller' | 'rows' | 'isUpdating'>,
): Promise<Decision[]> {
  const references = rows.flatMap((row) => ('faults' in row ? [] : (row.reference ?? [])));
  const { workspaceId } = caller;
  const found = isUpdating
    ? await tx.pets.lockByReferences(workspaceId, references)
    : await tx.pets.findByReferences(workspaceId, references);
  const owners = new Map(found.map((pet) => [pet.reference!, pet]));
  return rows.map((row) => {
    if ('faults' in row) return row;
    const before = row.reference === undefined ? undefined : owners.get(row.reference);
    try {
      if (!before) return { pet: newPetRecord(row) };
      if (isUpdating) return { before, after: patchPet(before, row) };
      return refused('reference', `is the reference of pet ${before.id}`, referenceTaken(before));
    } catch (err) {
      if (!(err instanceof Refusal)) throw err;
      // A 400 names its fields: metadata of the row and of the pet may be too many pairs together.
      if (Array.isArray(err.details)) return { faults: err.details };
      return refused('status', err.message, err);
    }
  });
}

function refused(field: string, message: string, refusal: Refusal): Refused {
  return { faults: [{ field, message }], refusal };
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
  workspaceId: number,
  rows: readonly PetBatchRow[],
): Promise<PetBatchRow[]> {
  const wanted = rows.flatMap((row) => ('faults' in row ? [] : [row.categoryId]));
  const known = await tx.categories.lockKnown(workspaceId, [...new Set(wanted)]);
  const message = 'names no category of this workspace';
  return rows.map((row) =>
    'faults' in row || known.has(row.categoryId)
      ? row
      : { faults: [{ field: 'categoryId', message }] },
  );
}

/** The first row with a reference counts. */
function refuseRepeated(rows: readonly PetBatchRow[]): PetBatchRow[] {
  const seen = new Map<string, number>();
  return rows.map((row, index) => {
    if ('faults' in row || row.reference === undefined) return row;
    const first = seen.get(row.reference);
    if (first === undefined) {
      seen.set(row.reference, index);
      return row;
    }
    return { faults: [{ field: 'reference', message: `is the same as in pets.${first}` }] };
  });
}

/** Throws if any row is refused: a 400 that names every invalid row, else the first refusal with its place. */
function refuseFaults(rows: readonly Decision[]): void {
  const details = rows.flatMap((row, index) =>
    'faults' in row && !row.refusal
      ? row.faults.map(({ field, message }) => ({ field: `pets.${index}.${field}`, message }))
      : [],
  );
  if (details.length > 0) {
    const { field, message } = details[0]!;
    throw new Refusal('invalid_request', {
      message: `${field} ${message}; nothing was changed.`,
      details,
    });
  }
  for (const [index, row] of rows.entries()) {
    if (!('faults' in row)) continue;
    const { code, message, details: facts } = row.refusal!;
    throw new Refusal(code, {
      message: `pets.${index}: ${message} Nothing was changed.`,
      details: { ...(facts as object), index } as never,
    });
  }
}
