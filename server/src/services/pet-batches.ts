import type { Transaction } from '../datastore/datastore.ts';
import type { FieldFault } from '../domain/errors.ts';
import { Refusal } from '../domain/errors.ts';
import type { Caller } from '../domain/key.ts';
import { type NewPet, type Pet, petOf } from '../domain/pet.ts';
import { openingStock } from '../domain/stock.ts';

/** A row of a batch: a pet to create, or what is wrong with it already. */
export type BatchRow = NewPet | { faults: readonly FieldFault[] };
export type BatchOutcome = { pet: Pet } | { faults: readonly FieldFault[] };

/**
 * Creates the pets of a batch in a few statements, however many they are. All or nothing refuses the whole
 * batch for one bad row; otherwise bad rows are left out and say why.
 */
export async function createPets(
  tx: Transaction,
  caller: Caller,
  rows: readonly BatchRow[],
  isAllOrNothing: boolean,
  now: number,
): Promise<BatchOutcome[]> {
  const checked = await refuseUnknownCategories(tx, caller, rows);
  if (isAllOrNothing) refuseAnyFault(checked);
  const good = checked.filter((row): row is NewPet => !('faults' in row));
  const pets = good.map(({ name, categoryId, status = 'available' }) => {
    return { name, categoryId, stock: openingStock(status) };
  });
  const ids = await tx.pets.createMany(caller.workspaceId, pets);
  const created = pets.map((pet, at) => ({ id: ids[at]!, ...pet }));
  await tx.inventory.openMany(created, { keyId: caller.keyId, at: now });
  const outcomes = created.values();
  return checked.map((row) => ('faults' in row ? row : { pet: petOf(outcomes.next().value!) }));
}

async function refuseUnknownCategories(
  tx: Transaction,
  caller: Caller,
  rows: readonly BatchRow[],
): Promise<BatchRow[]> {
  const wanted = rows.flatMap((row) => ('faults' in row ? [] : [row.categoryId]));
  const known = await tx.categories.lockKnown(caller.workspaceId, [...new Set(wanted)]);
  const message = 'names no category of this workspace';
  return rows.map((row) =>
    'faults' in row || known.has(row.categoryId)
      ? row
      : { faults: [{ field: 'categoryId', message }] },
  );
}

function refuseAnyFault(rows: readonly BatchRow[]): void {
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
