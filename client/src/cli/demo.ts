import { Categories, Inventory, Orders, Pets } from '../contract.ts';
import { type Arguments, type Terminal, UsageError } from './command.ts';
import { openSession } from './session.ts';

const categories = [
  { name: 'Dogs', description: 'Loyal, loud, and always hungry.' },
  { name: 'Cats', description: 'They choose you.' },
  { name: 'Birds', description: 'Bright feathers, early mornings.' },
  { name: 'Rabbits', description: 'Soft ears and strong legs.' },
  { name: 'Fish', description: 'Quiet company.' },
] as const;
const names = [
  ['Rex', 'Bella', 'Max', 'Luna'],
  ['Milo', 'Cleo', 'Simba', 'Nala'],
  ['Kiwi', 'Sunny', 'Rio', 'Pip'],
  ['Clover', 'Thumper', 'Hazel', 'Biscuit'],
  ['Bubbles', 'Coral', 'Finn', 'Pearl'],
] as const;
const PETS_DEFAULT = 20;
const PETS_MAX = 1_000;

/** Fills an empty store with something worth looking at: categories, pets, stock and orders. */
export async function demo(args: Arguments, terminal: Terminal): Promise<void> {
  const count = Number(args.flags.get('pets')?.[0] ?? PETS_DEFAULT);
  if (!(Number.isInteger(count) && count >= 1 && count <= PETS_MAX)) {
    throw new UsageError(`--pets must be an integer from 1 to ${PETS_MAX}`);
  }
  const { transport } = openSession(args, terminal);
  const pets = new Pets(transport);
  const options = { signal: terminal.signal };
  if ((await pets.list({ limit: 1 }, options)).items.length > 0) {
    throw new UsageError('this store has pets already; demo fills only an empty one');
  }
  const say = (line: string) => terminal.stderr.write(`petstore: ${line}\n`);
  const ids: number[] = [];
  for (const category of categories) {
    ids.push((await new Categories(transport).create(category, options)).id);
  }
  say(`${categories.length} categories`);
  const rows = Array.from({ length: count }, (_, n) => {
    const group = n % categories.length;
    const at = Math.floor(n / categories.length);
    const name = names[group]![at] ?? `${names[group]![at % 4]} ${Math.floor(at / 4) + 1}`;
    return { name, categoryId: ids[group]! };
  });
  const { results } = await pets.createMany({ pets: rows }, options);
  const created = results.map(({ pet }) => pet!.id);
  say(`${created.length} pets`);
  await stockUp(new Inventory(transport), created, options);
  say('stock');
  const placed = await sell(new Orders(transport), created, options);
  say(`${placed} orders`);
  terminal.stdout.write(
    `${JSON.stringify({ categories: ids.length, pets: created.length, orders: placed })}\n`,
  );
}

async function stockUp(
  inventory: Inventory,
  petIds: readonly number[],
  options: { signal: AbortSignal },
) {
  for (const [at, petId] of petIds.slice(0, 12).entries()) {
    const delta = 3 + ((at * 7) % 11);
    await inventory.adjust(
      petId,
      { delta, reason: 'delivery', reference: `PO-${1001 + at}` },
      options,
    );
  }
}

async function sell(
  orders: Orders,
  petIds: readonly number[],
  options: { signal: AbortSignal },
): Promise<number> {
  const day = 86_400_000;
  const plans = petIds.slice(0, 8).map((petId, at) => ({
    petId,
    quantity: 1 + (at % 3),
    shipDate: new Date(Math.ceil(Date.now() / day) * day + at * day),
    complete: at % 3 === 2,
  }));
  for (const plan of plans) await orders.place(plan, options);
  return plans.length;
}
