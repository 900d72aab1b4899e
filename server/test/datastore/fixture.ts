import type { Datastore, Transaction } from '../../src/datastore/datastore.ts';
import { Claim, type StoredResponse } from '../../src/datastore/idempotency.ts';
import type { Page, PageRequest } from '../../src/datastore/list.ts';
import { Refusal } from '../../src/domain/errors.ts';
import type { MovementCause } from '../../src/domain/inventory.ts';
import type { Caller } from '../../src/domain/key.ts';
import type { NewOrder } from '../../src/domain/order.ts';
import type { PetRecord } from '../../src/domain/pet.ts';
import type { Stock } from '../../src/domain/stock.ts';
import type { Position } from '../../src/lib/cursor.ts';
import { placeOrder } from '../../src/services/orders.ts';
import { creating } from '../../src/services/pets.ts';
import { moveStock } from '../../src/services/stock.ts';

/** One database and two stores open on it, as two processes would have it open. */
export interface Engine {
  /** Its file or its URL. */
  location: string;
  store: Datastore;
  other: Datastore;
  openAnother(): Datastore;
  /** Executes one statement without the store. */
  execute(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Makes a new database. */
export type OpenEngine = () => Promise<Engine>;

/** Gives the engine that all tests of a suite share, once it is open. */
export type Opened = () => Engine;

export const NOW = 1_800_000_000_000;
export const why = { keyId: 'key', at: NOW };
export const oneUnit: Stock = { quantity: 1, reserved: 0, held: false };

export class Undo extends Error {}

export async function newWorkspace(store: Datastore): Promise<number> {
  const limits = { perMinute: 60, perDay: 1_000 };
  const workspace = await store.transact((tx) =>
    tx.workspaces.create({ name: 'shop', plan: 'free', limits, createdAt: NOW }),
  );
  return workspace.id;
}

export async function newCategory(store: Datastore, workspaceId: number, name = 'Dogs') {
  const category = await store.transact((tx) => tx.categories.create(workspaceId, { name }));
  return category!.id;
}

export async function newPet(
  store: Datastore,
  workspaceId: number,
  pet: Omit<PetRecord, 'id' | 'stock'> & { stock?: Stock },
): Promise<number> {
  const { stock = oneUnit } = pet;
  return (await store.transact((tx) => createIn(tx, workspaceId, { ...pet, stock })))!;
}

/** A workspace with one category and one pet of that stock. */
export async function newShop(store: Datastore, stock: Stock = oneUnit) {
  const workspaceId = await newWorkspace(store);
  const categoryId = await newCategory(store, workspaceId);
  const petId = await newPet(store, workspaceId, { name: 'Rex', categoryId, stock });
  return { workspaceId, categoryId, petId };
}

/** The same with several pets of that stock. */
export async function newShopOf(store: Datastore, pets: number, stock: Stock) {
  const { workspaceId, categoryId, petId } = await newShop(store, stock);
  const petIds = [petId];
  while (petIds.length < pets) {
    petIds.push(await newPet(store, workspaceId, { name: 'Tom', categoryId, stock }));
  }
  return { workspaceId, categoryId, petIds };
}

export const answer = {
  status: 201,
  headers: { location: '/v1/pets/1' },
  body: '{"name":"\u{1F600}"}',
};

interface Keyed {
  workspaceId: number;
  key: string;
  fingerprint?: string;
  now?: number;
}

/** Stores an answer under the key, or returns what is stored there. */
export async function claimKey(
  tx: Transaction,
  { workspaceId, key, fingerprint = 'print', now = NOW }: Keyed,
): Promise<'claimed' | 'reused' | StoredResponse> {
  const claim = await tx.idempotency.claim(workspaceId, key, fingerprint, now);
  if (!(claim instanceof Claim)) return claim;
  await claim.store(answer);
  return 'claimed';
}

/** Takes one unit as a shop would: look at the locked row, then change it. False when none is left. */
export async function takeOne(tx: Transaction, workspaceId: number, petId: number) {
  const pet = (await tx.pets.findAndLock(workspaceId, petId))!;
  if (pet.stock.quantity === 0) return false;
  const after = { ...pet.stock, quantity: pet.stock.quantity - 1 };
  await changeIn(tx, workspaceId, petId, pet.stock, after, { ...why, cause: 'adjusted' });
  return true;
}

/** Creates a pet as a request does. Undefined when there is no such category. */
export function createIn(
  tx: Transaction,
  workspaceId: number,
  pet: Omit<PetRecord, 'id'>,
  origin = why,
): Promise<number | undefined> {
  return tx.pets.create(workspaceId, pet, origin, async () => {
    const [id] = await tx.pets.insert(workspaceId, [pet], origin.at);
    const caller = { workspaceId, keyId: origin.keyId };
    if (id !== undefined)
      await moveStock(tx, { caller, now: origin.at }, [creating({ id, ...pet })]);
    return id;
  });
}

/** Places an order as a request does. Undefined when it is refused. */
export async function placeIn(
  tx: Transaction,
  workspaceId: number,
  order: NewOrder,
  { keyId, at, lowStockAt }: { keyId: string; at: number; lowStockAt?: number | undefined },
): Promise<number | undefined> {
  const caller = { workspaceId, keyId, ...(lowStockAt === undefined ? {} : { lowStockAt }) };
  // A test may place orders that are overdue already.
  const { expiresAt } = order;
  const now = expiresAt === undefined ? at : Math.min(at, expiresAt - 1);
  try {
    return (await placeOrder(tx, { caller: caller as Caller, order, now })).id;
  } catch (err) {
    if (err instanceof Refusal) return undefined;
    throw err;
  }
}

interface Why {
  keyId: string;
  at: number;
  cause: MovementCause;
  orderId?: number;
}

/** Changes the stock of a pet, and returns the row of its ledger. */
export async function changeIn(
  tx: Transaction,
  workspaceId: number,
  petId: number,
  before: Stock,
  after: Stock,
  { at, ...step }: Why,
) {
  return (await tx.stock.record(workspaceId, [{ petId, before, after, ...step }], at))[0];
}

/** Follows a list from page to page to its end. */
export async function readAll<T, S extends string>(
  list: (page: PageRequest<S>) => Promise<Page<T>>,
  sort: PageRequest<S>['sort'],
  limit: number,
): Promise<T[]> {
  const all: T[] = [];
  let after: Position | undefined;
  do {
    const { items, hasMore, end } = await list({ sort, limit, after });
    all.push(...items);
    if (hasMore !== (end !== undefined)) throw new Error('a page that has more says where');
    after = end;
  } while (after);
  return all;
}
