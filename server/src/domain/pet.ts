import type { Metadata, MetadataPatch } from './metadata.ts';
import type { PetStatus, Stock } from './stock.ts';

export interface NewPet {
  name: string;
  categoryId: number;
  status?: PetStatus;
  metadata?: Metadata;
}

/** A stored pet. Its status is derived from its stock. */
export interface PetRecord {
  id: number;
  name: string;
  categoryId: number;
  stock: Stock;
  metadata?: Metadata;
}

export interface PetPatch {
  name?: string;
  categoryId?: number;
  /** Null, like undefined, keeps the derived status. */
  status?: PetStatus | null;
  metadata?: MetadataPatch;
}
