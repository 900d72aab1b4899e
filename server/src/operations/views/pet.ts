import type { Metadata } from '../../domain/metadata.ts';
import type { PetRecord } from '../../domain/pet.ts';
import { type PetStatus, statusOf } from '../../domain/stock.ts';

export interface PetView {
  id: number;
  name: string;
  categoryId: number;
  status: PetStatus;
  metadata?: Metadata;
}

export function petView({ id, name, categoryId, stock, metadata }: PetRecord): PetView {
  return { id, name, categoryId, status: statusOf(stock), ...(metadata ? { metadata } : {}) };
}
