import type { PetRecord } from '../../domain/pet.ts';
import { type PetStatus, statusOf } from '../../domain/stock.ts';

export interface PetView {
  id: number;
  name: string;
  categoryId: number;
  status: PetStatus;
}

export function petView({ id, name, categoryId, stock }: PetRecord): PetView {
  return { id, name, categoryId, status: statusOf(stock) };
}
