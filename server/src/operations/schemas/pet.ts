import { petStatuses } from '../../domain/stock.ts';
import { id, name, newName, PetStatus } from './fields.ts';
import { Metadata, MetadataPatch } from './metadata.ts';
import { Type } from './type.ts';

const petName = name("The animal's name.", 'Rex');
const newPetName = newName("The animal's name.", 'Rex');
const categoryId = id('ID of the category the animal belongs to.');

export const NewPet = Type.Object(
  {
    name: newPetName,
    categoryId,
    status: Type.Optional(PetStatus),
    metadata: Type.Optional(Metadata),
  },
  { title: 'NewPet', additionalProperties: false },
);

export const Pet = Type.Object(
  {
    id: id('Unique identifier assigned on creation.'),
    name: petName,
    categoryId,
    status: PetStatus,
    metadata: Type.Optional(Metadata),
  },
  { title: 'Pet', additionalProperties: false },
);

export const PetPatch = Type.Object(
  {
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
    metadata: Type.Optional(MetadataPatch),
  },
  { title: 'PetPatch', additionalProperties: false },
);

export const examplePet = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
