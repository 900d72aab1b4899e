import type { Static } from 'typebox';
import type { PetRecord } from '../../domain/pet.ts';
import { type PetStatus, statusOf } from '../../domain/stock.ts';
import type { BatchResult } from '../schemas/batches/pet-batch.ts';

export interface PetView {
  id: number;
  name: string;
  categoryId: number;
  status: PetStatus;
}

export function petView({ id, name, categoryId, stock }: PetRecord): PetView {
  return { id, name, categoryId, status: statusOf(stock) };
}

/** A dry run shows no pets, because they would have no id. */
export function petBatchPreview({ results, ...counts }: Static<typeof BatchResult>) {
  return { ...counts, results: results.map(({ errors }) => ({ errors })) };
}
