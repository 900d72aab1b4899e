import { petStatuses } from '../../domain/stock.ts';
import { count, id, name, newName, newReference, object, PetStatus, reference } from './fields.ts';
import { Metadata, MetadataPatch } from './metadata.ts';
import { Type } from './type.ts';

const REFERENCE = 'Its number in a system of your own; no two pets of the workspace share one.';
const clearableReference = Type.Unsafe<string | null>(
  newReference(`${REFERENCE} Null clears it.`, { nullable: true }),
);
const LOW_STOCK_AT =
  'Its own threshold for the event `inventory.low`; 0 tells when none is available.';
const lowStockAt = count(`${LOW_STOCK_AT} Absent: that of the workspace.`, 0, 1_000_000);
const clearableLowStockAt = Type.Unsafe<number | null>({
  ...count(`${LOW_STOCK_AT} Null: that of the workspace.`, 0, 1_000_000),
  nullable: true,
});
const petName = name("The animal's name.", 'Rex');
const newPetName = newName("The animal's name.", 'Rex');
const categoryId = id('ID of the category the animal belongs to.');

export const NewPet = object('NewPet', {
  name: newPetName,
  categoryId,
  status: Type.Optional(PetStatus),
  reference: Type.Optional(newReference(REFERENCE)),
  lowStockAt: Type.Optional(lowStockAt),
  metadata: Type.Optional(Metadata),
});

export const Pet = object('Pet', {
  id: id('Unique identifier assigned on creation.'),
  name: petName,
  categoryId,
  status: PetStatus,
  reference: Type.Optional(reference(REFERENCE)),
  lowStockAt: Type.Optional(lowStockAt),
  metadata: Type.Optional(Metadata),
});

export const PetPatch = object('PetPatch', {
  name: Type.Optional(newPetName),
  categoryId: Type.Optional(categoryId),
  status: Type.Optional(
    Type.Unsafe<(typeof petStatuses)[number] | null>({
      type: 'string',
      nullable: true,
      enum: [...petStatuses, null],
      description: 'The new status; null keeps the derived one.',
    }),
  ),
  reference: Type.Optional(clearableReference),
  lowStockAt: Type.Optional(clearableLowStockAt),
  metadata: Type.Optional(MetadataPatch),
});

export const examplePet = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
