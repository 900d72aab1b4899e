import { Refusal } from '../../domain/errors.ts';
import type { NewPet as NewPetInput } from '../../domain/pet.ts';
import type { BatchRow } from '../../services/batches/pet-batches.ts';
import { NewPet } from './pet.ts';
import { bodyChecker } from './validator.ts';

const checkRow = bodyChecker(NewPet, false);

/** A row of a batch or of an import, validated like the body of createPet. */
export function petRowOf(row: unknown): BatchRow {
  try {
    return checkRow(row) as NewPetInput;
  } catch (err) {
    if (!(err instanceof Refusal) || !Array.isArray(err.details)) throw err;
    return { faults: err.details };
  }
}
