import type { Transaction } from '../../datastore/datastore.ts';
import { type FieldFault, Refusal } from '../../domain/errors.ts';
import type { NewPet, PetRecord } from '../../domain/pet.ts';
import type { Change } from '../change.ts';
import { creating, newRecord } from '../pets.ts';
import { moveStock } from '../stock.ts';

/** A row of a batch: a pet to create, or the faults that its checks have found. */
export type PetBatchRow = NewPet | { faults: readonly FieldFault[] };
export type PetOutcome = { pet: PetRecord } | { faults: readonly FieldFault[] };

interface Batch extends Change {
  rows: readonly PetBatchRow[];
  /** One bad row refuses the batch. If false, bad rows are skipped and their outcomes name the faults. */
  isAllOrNothing: boolean;
}

/** Creates the pets of a batch in a few statements, however many they are. The outcomes are in the order of the rows. */
export async function createPets(
  tx: Transaction,
  { caller, rows, isAllOrNothing, now }: Batch,
): Promise<PetOutcome[]> {
  const checked = await checkCategories(tx, caller.workspaceId, rows);
  if (isAllOrNothing) refuseFaults(checked);
  const good = checked.filter((row): row is NewPet => !('faults' in row));
  const pets = good.map(newRecord);
  const ids = await tx.pets.insert(caller.workspaceId, pets, now);
  const created = pets.map((pet, at) => ({ id: ids[at]!, ...pet }));
  await moveStock(tx, { caller, now }, created.map(creating));
  const records = created.values();
  return checked.map((row) => ('faults' in row ? row : { pet: records.next().value! }));
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

function refuseFaults(rows: readonly PetBatchRow[]): void {
  const details = rows.flatMap((row, index) =>
    'faults' in row
      ? row.faults.map(({ field, message }) => ({ field: `pets.${index}.${field}`, message }))
      : [],
  );
  if (details.length === 0) return;
  const { field, message } = details[0]!;
  throw new Refusal('invalid_request', {
    message: `${field} ${message}; nothing was created.`,
    details,
  });
}
