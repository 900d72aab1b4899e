// What a small pet shop sells and has promised, for a new store to look around in.

import type { NewOrder, NewPet } from '@petstore/client';

type Row = readonly [name: string, units: number, lowStockAt: number];

const shelves: readonly (readonly [category: string, description: string, ...pets: Row[]])[] = [
  [
    'Small animals',
    'Rabbits and rodents, sold in pairs.',
    ['Dwarf rabbit', 6, 2],
    ['Guinea pig', 8, 3],
    ['Syrian hamster', 5, 2],
    ['Gerbil', 3, 4],
  ],
  [
    'Birds',
    'Hand-reared where the species allows it.',
    ['Budgerigar', 14, 4],
    ['Canary', 6, 2],
    ['Zebra finch', 18, 6],
    ['Cockatiel', 2, 2],
  ],
  [
    'Fish',
    'Freshwater, quarantined for two weeks.',
    ['Neon tetra', 120, 40],
    ['Guppy', 60, 20],
    ['Betta', 9, 3],
    ['Fantail goldfish', 16, 6],
  ],
  [
    'Reptiles',
    'With papers, and advice on the terrarium.',
    ['Corn snake', 3, 1],
    ['Leopard gecko', 4, 1],
    ['Bearded dragon', 2, 1],
    ['Hermann’s tortoise', 0, 0],
  ],
];

export const sampleCategories = shelves.map(([name, description]) => ({ name, description }));

const rows = shelves.flatMap(([, , ...pets], category) =>
  pets.map((row, place) => ({ row, category, reference: `A-${category + 1}0${place + 1}` })),
);

export const samplePets = (categoryIds: readonly number[]): NewPet[] =>
  rows.map(({ row: [name, , lowStockAt], category, reference }) => {
    return { name, categoryId: categoryIds[category]!, reference, lowStockAt };
  });

export const sampleCounts = (petIds: readonly number[]) =>
  rows.map(({ row: [, quantity] }, place) => {
    return { petId: petIds[place]!, quantity, reason: 'First count' };
  });

const HOUR_MS = 3_600_000;

type OrderRow = readonly [pet: string, quantity: number, number: number, inHours: number];
const customers = ['Hannah Fischer', 'Tom Okafor', 'Priya Nair', 'Lena Sørensen', 'Marco Bianchi'];

/** Two orders of Tom Okafor are one of two pets. The last one is cancelled. */
const orders: readonly OrderRow[] = [
  ['Guinea pig', 2, 0, -20],
  ['Neon tetra', 12, 1, 2],
  ['Guppy', 6, 1, 2],
  ['Budgerigar', 2, 2, 26],
  ['Leopard gecko', 1, 3, 70],
  ['Zebra finch', 4, 4, 96],
];

export const sampleOrders = (petIds: readonly number[], at: number): NewOrder[] =>
  orders.map(([pet, quantity, number, inHours]) => ({
    petId: petIds[rows.findIndex(({ row: [name] }) => name === pet)]!,
    quantity,
    customer: customers[number]!,
    reference: `W-${1001 + number}`,
    shipDate: new Date(at + inHours * HOUR_MS).toISOString(),
  }));

export const SAMPLE_REASON = 'Changed their mind';
