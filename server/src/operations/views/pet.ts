import type { Metadata } from '../../domain/metadata.ts';
import type { PetRecord } from '../../domain/pet.ts';
import { type PetStatus, statusOf } from '../../domain/stock.ts';

export interface PetView {
  id: number;
  name: string;
  categoryId: number;
  status: PetStatus;
  reference?: string;
  lowStockAt?: number;
  metadata?: Metadata;
}

export function petView(pet: PetRecord): PetView {
  const { id, name, categoryId, stock, reference, metadata } = pet;
  return {
    id,
    name,
    categoryId,
    status: statusOf(stock),
    ...(reference === undefined ? {} : { reference }),
    ...(stock.lowStockAt === undefined ? {} : { lowStockAt: stock.lowStockAt }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}
