// What the demo store sells, and who works there.

import type { Scope } from '../../domain/key.ts';

interface DemoCategory {
  name: string;
  description: string;
  /** What one delivery of these animals comes from. Tells apart animals of the same name. */
  lot: string;
}

export interface DemoAnimal {
  name: string;
  /** Its number in the system of the warehouse. */
  reference: string;
  category: number;
  /** How many the store likes to have. */
  stock: number;
  /** How many orders come in a week. */
  weeklyOrders: number;
  /** The most that one order takes. */
  perOrderMax: number;
}

export const demoCategories: readonly DemoCategory[] = [
  { name: 'Dogs', description: 'Puppies from breeders we have visited.', lot: 'litter' },
  { name: 'Cats', description: 'Kittens of twelve weeks and older.', lot: 'litter' },
  { name: 'Birds', description: 'Hand-reared where the species allows it.', lot: 'aviary' },
  { name: 'Fish', description: 'Freshwater, quarantined for two weeks.', lot: 'tank' },
  { name: 'Small animals', description: 'Rabbits and rodents, sold in pairs.', lot: 'litter' },
];

type Row = readonly [name: string, stock: number, weeklyOrders: number, perOrderMax: number];

const rows: readonly (readonly Row[])[] = [
  [
    ['Golden Retriever puppy', 4, 1.2, 1],
    ['Beagle puppy', 3, 0.8, 1],
    ['Border Collie puppy', 3, 0.9, 1],
    ['Dachshund puppy', 4, 1, 1],
  ],
  [
    ['Maine Coon kitten', 4, 1.1, 1],
    ['British Shorthair kitten', 4, 1.2, 2],
    ['Siamese kitten', 3, 0.7, 2],
    ['Ragdoll kitten', 3, 0.9, 1],
  ],
  [
    ['Budgerigar', 24, 4, 4],
    ['Cockatiel', 8, 1.5, 2],
    ['Zebra Finch', 30, 3, 6],
    ['Peach-faced Lovebird', 10, 1.4, 2],
  ],
  [
    ['Betta', 18, 3.5, 2],
    ['Neon Tetra', 160, 5, 15],
    ['Fancy Goldfish', 40, 3, 4],
    ['Guppy', 90, 4, 10],
  ],
  [
    ['Holland Lop rabbit', 8, 1.4, 2],
    ['Guinea Pig', 12, 2, 2],
    ['Syrian Hamster', 14, 2.2, 1],
    ['Chinchilla', 4, 0.6, 2],
  ],
];

/** As many animals as asked for, spread over the categories. */
export function demoAnimals(count: number): DemoAnimal[] {
  return Array.from({ length: count }, (_, at) => {
    const category = at % rows.length;
    const nth = Math.floor(at / rows.length);
    const ofCategory = rows[category]!;
    const [plain, stock, weeklyOrders, perOrderMax] = ofCategory[nth % ofCategory.length]!;
    const lot = Math.floor(nth / ofCategory.length) + 1;
    const name = lot === 1 ? plain : `${plain}, ${demoCategories[category]!.lot} ${lot}`;
    const kind = demoCategories[category]!.name.slice(0, 3).toUpperCase();
    const reference = `${kind}-${String(nth + 1).padStart(4, '0')}`;
    return { name, reference, category, stock, weeklyOrders, perOrderMax };
  });
}

export type DemoStaff = 'web shop' | 'warehouse' | 'counter';

/** The keys of the demo store, so that its ledger has names. */
export const demoKeys: Readonly<Record<DemoStaff, readonly Scope[]>> = {
  'web shop': ['read', 'write'],
  warehouse: ['read', 'write'],
  counter: ['read', 'write'],
};
