import type { PetStatus, Stock } from './stock.ts';
import { statusOf } from './stock.ts';

export interface NewPet {
  name: string;
  categoryId: number;
  status?: PetStatus;
}

export interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status: PetStatus;
}

/** A pet as it is kept: its stock decides its status. */
export interface PetRecord {
  id: number;
  name: string;
  categoryId: number;
  stock: Stock;
}

export interface PetPatch {
  name?: string;
  categoryId?: number;
  /** Null clears the wish for a status, which leaves the derived one. */
  status?: PetStatus | null;
}

export function petOf(record: PetRecord): Pet {
  const { id, name, categoryId, stock } = record;
  return { id, name, categoryId, status: statusOf(stock) };
}
