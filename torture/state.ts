// Reads the whole store: through the API, and from the database beside the running service.

import Database from 'better-sqlite3';
import { readConfig } from '../server/src/config.ts';
import { orderStates } from '../server/src/domain/order.ts';
import type { InventoryItemView, MovementView } from '../server/src/operations/views/inventory.ts';
import type { OrderView as Order } from '../server/src/operations/views/order.ts';
import type { PetView as Pet } from '../server/src/operations/views/pet.ts';
import { openStore } from '../server/src/stores.ts';
import { checkFeed } from './checks/feed.ts';
import type { Client } from './client.ts';
import type { Store } from './store.ts';

const ALL_STATES = orderStates.map((state) => `state=${state}`).join('&');

export interface State {
  pets: Pet[];
  orders: Order[];
  inventory: InventoryItemView[];
  movements: MovementView[];
}

export async function readState(client: Client): Promise<State> {
  const pets = await readAll<Pet>(client, '/v1/pets');
  const orders = await readAll<Order>(client, `/v1/store/orders?${ALL_STATES}`);
  const inventory = await readAll<InventoryItemView>(client, '/v1/inventory');
  const movements: MovementView[] = [];
  for (const { id } of pets) {
    movements.push(...(await readAll<MovementView>(client, `/v1/inventory/${id}/movements`)));
  }
  return { pets, orders, inventory, movements };
}

/** The faults that the database itself reports. */
export async function faultsInDatabase({ environment, folder }: Store): Promise<string[]> {
  const { store } = await openStore(readConfig(environment));
  try {
    const { reserved, ledger, links } = await store.read.audit.differences();
    const differences = [...reserved, ...ledger, ...links].map(
      (row) => `reconcile finds a difference: ${JSON.stringify(row)}`,
    );
    const found = [...differences, ...(await checkFeed(store, 1))];
    const isSqlite = environment.PETSTORE_DATABASE_URL === undefined;
    return isSqlite ? [...found, ...faultsInFile(`${folder}/petstore.db`)] : found;
  } finally {
    await store.close();
  }
}

export function faultsInFile(file: string): string[] {
  const db = new Database(file, { readonly: true, timeout: 5_000 });
  try {
    const check = db.pragma('integrity_check(1)', { simple: true });
    const foreign = db.pragma('foreign_key_check') as unknown[];
    return [
      ...(check === 'ok' ? [] : [`integrity_check: ${String(check)}`]),
      ...foreign.map((row) => `foreign_key_check: ${JSON.stringify(row)}`),
    ];
  } finally {
    db.close();
  }
}

/** All pages of a list. */
export async function readAll<T>(client: Client, path: string): Promise<T[]> {
  const items: T[] = [];
  let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}limit=100`;
  while (next) {
    const { body, headers } = await client.get(next);
    items.push(...(body as T[]));
    next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  return items;
}
