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
  const { name, categoryId, status = 'available', reference, lowStockAt } = pet;
  const metadata = mergeMetadata(undefined, pet.metadata);
  return {
    name,
    categoryId,
    stock: withThreshold(openingStock(status), lowStockAt),
    ...(reference === undefined ? {} : { reference }),
    ...(metadata ? { metadata } : {}),
  };
}

/** The pet after a patch. Refuses a status that it cannot have. */
export function patchPet(pet: PetRecord, patch: PetPatch): PetRecord {
  const { name = pet.name, categoryId = pet.categoryId, status } = patch;
  const reference = patch.reference === undefined ? pet.reference : patch.reference;
  const metadata = mergeMetadata(pet.metadata, patch.metadata);
  const stock = status ? changeStatus(pet, status) : pet.stock;
  return {
    id: pet.id,
    name,
    categoryId,
    stock: withThreshold(stock, patch.lowStockAt),
    ...(reference ? { reference } : {}),
    ...(metadata ? { metadata } : {}),
  };
}

/** Undefined keeps the threshold, null removes it. */
function withThreshold(stock: Stock, lowStockAt: number | null | undefined): Stock {
  if (lowStockAt === undefined) return stock;
  const { lowStockAt: _, ...counts } = stock;
  return lowStockAt === null ? counts : { ...counts, lowStockAt };
}
