// Queries that several screens share, so that they are read once.

import type { InventoryItem, Key, Page, Pet } from '@petstore/client';
import { movementWords } from '../words/movements.ts';
import { isPending, type Query, type QueryResult, queries, useQuery } from './query.ts';
import { session } from './session.ts';
import { store } from './store.ts';

/** Where the workspace sets no threshold, as the service lists what is low. */
const LOW_AT = 2;

/** A pet with this many available units, or fewer, is low: its own threshold, or else that of the workspace. */
export const lowStockAt = (pet?: Pick<Pet, 'lowStockAt'>) =>
  pet?.lowStockAt ?? session.value?.lowStockAt ?? LOW_AT;

const FIRST_PAGE = 100;
const REFERENCE_LENGTH_MAX = 100;
/** How many records a select offers at most: each 100 of them cost a request of the plan. */
const CHOICES_MAX = 1_000;
/** How many pages are read at most to find a low pet. */
const PAGES_MAX = 10;

export function lowStockQuery(): Query<Page<InventoryItem>> {
  const query = { low: true, limit: FIRST_PAGE };
  // A request looks at a bounded number of pets, so a page can be empty although later ones are not.
  const read = async (signal: AbortSignal) => {
    let page = await store.inventory.list(query, { signal });
    for (let more = PAGES_MAX; --more && !page.items.length && page.nextCursor; ) {
      page = await store.inventory.list({ ...query, cursor: page.nextCursor }, { signal });
    }
    return page;
  };
  return { key: ['listInventory', query], read };
}

/** Every state that an order can have. A list without states leaves out orders that were cancelled or expired. */
export const ORDER_STATES = ['open', 'complete', 'cancelled', 'expired'] as const;

export const openOrdersQuery = {
  key: ['listOrders', { complete: false, limit: FIRST_PAGE }],
  read: (signal: AbortSignal) =>
    store.orders.list({ complete: false, limit: FIRST_PAGE }, { signal }),
} satisfies Query<unknown>;

/** Of the sessions, only those that have not ended: of the others there are many more than keys. */
const OPEN = { sessions: 'open', limit: FIRST_PAGE } as const;

/** The first page, for the overview, whose cost does not grow with the number of keys. */
export const keysQuery = {
  key: ['listKeys', OPEN],
  read: (signal: AbortSignal) => store.keys.list(OPEN, { signal }),
} satisfies Query<unknown>;

export const allKeysQuery = {
  key: ['listKeys', 'all'],
  read: async (signal: AbortSignal) => ({
    items: await store.keys.list(OPEN, { signal }).toArray({ limit: CHOICES_MAX }),
  }),
} satisfies Query<unknown>;

export const bansQuery = {
  key: ['adminListBans', {}],
  read: (signal: AbortSignal) => store.admin.listBans({}, { signal }),
} satisfies Query<unknown>;

export const categoriesQuery = {
  key: ['listCategories', 'all'],
  read: async (signal: AbortSignal) => ({
    items: await store.categories
      .list({ limit: FIRST_PAGE }, { signal })
      .toArray({ limit: CHOICES_MAX }),
  }),
} satisfies Query<unknown>;

/** The names of workspaces by id, for an operator. */
export function useWorkspaceNames(isEnabled = true): Known<number, string> {
  const workspaces = useQuery({
    key: ['adminListWorkspaces', 'all'],
    read: async (signal) => ({
      items: await store.admin
        .listWorkspaces({ limit: FIRST_PAGE }, { signal })
        .toArray({ limit: CHOICES_MAX }),
    }),
    isEnabled,
  });
  const found = known(
    workspaces,
    workspaces.data?.items.map(({ id, name }) => [id, name]),
  );
  found.isPending &&= isEnabled;
  return found;
}

/** Records by id. While they are on their way, a list that names them waits, so that its columns do not move. */
export interface Known<Id, Value> extends ReadonlyMap<Id, Value> {
  isPending: boolean;
}

const known = <Id, Value>(
  query: QueryResult<unknown>,
  entries: Iterable<readonly [Id, Value]> | undefined,
): Known<Id, Value> => Object.assign(new Map(entries), { isPending: isPending(query) });

const idsOf = (ids: readonly number[] = []) =>
  [...new Set(ids)].sort((a, b) => a - b).slice(0, FIRST_PAGE);

const stockKey = (petId: number[]) => ['listInventory', { petId, limit: FIRST_PAGE }] as const;

/** The pets with these ids, by id: one request for up to 100. Undefined until it is known which pets are needed. */
export function usePets(ids: readonly number[] | undefined): Known<number, Pet> {
  const wanted = idsOf(ids);
  const isEnabled = wanted.length > 0;
  const pets = useQuery({
    key: ['listPets', { id: wanted }],
    read: (signal) => store.pets.list({ id: wanted }, { signal }),
    isEnabled,
    keepsPrevious: true,
  });
  const found = known(
    pets,
    pets.data?.items.map((pet) => [pet.id, pet]),
  );
  found.isPending &&= isEnabled;
  return found;
}

/** The stock of these pets, by id: one request for up to 100. Undefined until it is known which pets are needed. */
export function useStock(ids: readonly number[] | undefined): Known<number, InventoryItem> {
  const wanted = idsOf(ids);
  const key = stockKey(wanted);
  const isEnabled = wanted.length > 0;
  const stock = useQuery({
    key,
    read: (signal) => store.inventory.list(key[1], { signal }),
    isEnabled,
    keepsPrevious: true,
  });
  const found = known(
    stock,
    stock.data?.items.map((item) => [item.petId, item]),
  );
  found.isPending &&= isEnabled;
  return found;
}

/** The pets of these rows, by id, for a file: one request for up to 100 rows. */
export async function readPetsOf(
  rows: readonly { petId: number }[],
  signal: AbortSignal,
): Promise<Map<number, Pet>> {
  const id = [...new Set(rows.map(({ petId }) => petId))];
  const { items } = await store.pets.list({ id }, { signal });
  return new Map(items.map((pet) => [pet.id, pet]));
}

/** The names of the keys of these rows, by id, for a file: one request for up to 100 rows. */
export async function readKeyNamesOf(
  rows: readonly { keyId?: string | undefined }[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const id = [...new Set(rows.flatMap(({ keyId }) => keyId ?? []))];
  if (id.length === 0) return new Map();
  const { items } = await store.keys.list({ id }, { signal });
  return new Map(items.map((key) => [key.id, key.name]));
}

/** The name of one of these pets, or its number while the name is not known. */
export const nameIn = (pets: ReadonlyMap<number, Pick<Pet, 'name'>>, petId: number) =>
  pets.get(petId)?.name ?? movementWords.pet(petId);

/** The name of a pet, or its number while the name is not known. */
export function usePetName(petId = 0): string {
  return nameIn(usePets(petId ? [petId] : undefined), petId);
}

/** The pet with exactly this reference. Without one, nothing is asked. */
export function usePetByReference(reference: string): Pet | undefined {
  const query = { reference: [reference] };
  const { data } = useQuery({
    key: ['listPets', query],
    read: (signal) => store.pets.list(query, { signal }),
    isEnabled: reference !== '' && reference.length <= REFERENCE_LENGTH_MAX,
  });
  return data?.items[0];
}

/** Saves the request for a pet that a list has just shown. */
export function knowPet(pet: Pet): void {
  queries.set(['listPets', { id: [pet.id] }], { items: [pet], nextCursor: undefined });
}

/** The name of a pet that is on the screen, without asking for it. */
export function knownPetName(petId: number): string {
  const page = queries.get<Page<Pet>>(['listPets', { id: [petId] }]);
  return page?.items[0]?.name ?? movementWords.pet(petId);
}

/** Saves the request for the stock of these pets, if all of it has just been shown. */
export function knowStock(ids: readonly number[], items: readonly InventoryItem[]): void {
  const wanted = idsOf(ids);
  const found = wanted.flatMap((id) => items.find(({ petId }) => petId === id) ?? []);
  if (found.length < wanted.length) return;
  queries.set(stockKey(wanted), { items: found, nextCursor: undefined });
}

/** The names of the keys, by id, also of the sessions that made these rows and have ended. */
export function useKeyNames(
  rows: readonly { keyId?: string | undefined }[] = [],
  query: Query<{ items: readonly Key[] }> = allKeysQuery,
): Known<string, string> {
  const keys = useQuery(query);
  const isKnown = (id?: string) => !id || keys.data?.items.some((key) => key.id === id);
  const wanted = [...new Set(rows.map(({ keyId }) => keyId))].filter((id) => !isKnown(id));
  const isEnabled = keys.data !== undefined && wanted.length > 0;
  const ended = useQuery({
    key: ['listKeys', { id: wanted }],
    read: (signal) => store.keys.list({ id: wanted as string[] }, { signal }),
    isEnabled,
  });
  return known(
    isEnabled ? ended : keys,
    [...(keys.data?.items ?? []), ...(ended.data?.items ?? [])].map(({ id, name }) => [id, name]),
  );
}
