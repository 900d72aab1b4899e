import { mergePatch } from './merge-patch.ts';
import { type Metadata, type MetadataPatch, mergeMetadata } from './metadata.ts';
import { changeStatus, openingStock, type PetStatus, type Stock } from './stock.ts';

export interface NewPet {
  name: string;
  categoryId: number;
  status?: PetStatus;
  reference?: string;
  lowStockAt?: number;
  metadata?: Metadata;
}

/** A stored pet. Its status is derived from its stock. */
export interface PetRecord {
  id: number;
  name: string;
  categoryId: number;
  stock: Stock;
  /** Its number in a system of the client; unique among the pets of a workspace. */
  reference?: string;
  metadata?: Metadata;
}

export interface PetPatch {
  name?: string;
  categoryId?: number;
  /** Null, like undefined, keeps the derived status. */
  status?: PetStatus | null;
  /** Null stands for the threshold of the workspace. */
  lowStockAt?: number | null;
  /** Null clears it. */
  reference?: string | null;
  metadata?: MetadataPatch;
}

/** A new pet as it is stored. */
export function newPetRecord(pet: NewPet): Omit<PetRecord, 'id'> {
  const { status = 'available', lowStockAt, metadata, ...fields } = pet;
  const stock = mergePatch(openingStock(status), { lowStockAt });
  const pairs = mergeMetadata(undefined, metadata);
  return { ...fields, stock, ...(pairs && { metadata: pairs }) };
}

/** The pet after a patch. Refuses a status that it cannot have. */
export function patchPet(pet: PetRecord, patch: PetPatch): PetRecord {
  const { status, lowStockAt, metadata, ...fields } = patch;
  const stock = mergePatch(status ? changeStatus(pet, status) : pet.stock, { lowStockAt });
  return mergePatch(pet, {
    ...fields,
    stock,
    metadata: mergeMetadata(pet.metadata, metadata) ?? null,
  });
}
