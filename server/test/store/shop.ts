// One running app with one category, and the steps that tests of stock and orders share.

import { expect } from 'vitest';
import type { InventoryItemView, MovementView } from '../../src/operations/views/inventory.ts';
import type { OrderView as Order } from '../../src/operations/views/order.ts';
import type { PetView as Pet } from '../../src/operations/views/pet.ts';
import { type Answer, type CallOptions, type TestApp, testApp } from '../support/app.ts';

/** Everything that shows the stock of a pet. */
export interface PetState {
  pet: Pet;
  item: InventoryItemView;
  orders: Order[];
  ledger: MovementView[];
}

/** The cause of a movement and its counts, before and after. */
export type Counts = [cause: string, quantity: [number, number], reserved: [number, number]];

export class Shop {
  readonly app: TestApp;

  constructor(app: TestApp) {
    this.app = app;
  }

  static async open(): Promise<Shop> {
    const shop = new Shop(await testApp());
    await shop.do('POST', '/categories', { name: 'Dogs' }, 201);
    return shop;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
  call<T = any>(method: string, path: string, options?: CallOptions): Promise<Answer<T>> {
    return this.app.call<T>(method, `/v1${path}`, options);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
  send<T = any>(method: string, path: string, body: unknown): Promise<Answer<T>> {
    return this.call<T>(method, path, { body });
  }

  /** Sends a request that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
  async do<T = any>(method: string, path: string, body?: unknown, status = 200): Promise<T> {
    const answer = await this.call<T>(method, path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBe(status);
    return answer.body;
  }

  async addPet({ quantity = 1, held = false } = {}): Promise<number> {
    const status = held ? 'pending' : 'available';
    const pet = await this.do<Pet>('POST', '/pets', { name: 'Rex', categoryId: 1, status }, 201);
    if (quantity !== 1) await this.do('PATCH', `/inventory/${pet.id}`, { quantity });
    return pet.id;
  }

  async order(petId: number, quantity = 1, more: object = {}): Promise<number> {
    const body = { petId, quantity, ...more };
    return (await this.do<{ id: number }>('POST', '/store/orders', body, 201)).id;
  }

  async deletePet(petId: number): Promise<void> {
    await this.do('DELETE', `/pets/${petId}`, undefined, 204);
  }

  async stateOf(petId: number): Promise<PetState> {
    const [[pet], item, orders, ledger] = await Promise.all([
      this.do<Pet[]>('GET', `/pets?id=${petId}`),
      this.do<InventoryItemView>('GET', `/inventory/${petId}`),
      this.do<Order[]>('GET', `/store/orders?petId=${petId}&limit=100`),
      this.do<MovementView[]>('GET', `/inventory/${petId}/movements?limit=100`),
    ]);
    return { pet: pet!, item, orders, ledger };
  }

  /** The whole ledger of a pet, whatever its length. */
  async ledgerOf(petId: number): Promise<MovementView[]> {
    const rows: MovementView[] = [];
    let path: string | undefined = `/inventory/${petId}/movements?limit=100`;
    while (path) {
      const page: Answer<MovementView[]> = await this.call('GET', path);
      rows.push(...page.body);
      path = nextOf(page);
    }
    return rows;
  }
}

export function countsOf(movement: Omit<MovementView, 'at'>): Counts {
  const { cause, quantityBefore, quantityAfter, reservedBefore, reservedAfter } = movement;
  return [cause, [quantityBefore, quantityAfter], [reservedBefore, reservedAfter]];
}

/** The path in the `next` link of a page, without origin and version. */
export function nextOf(answer: Answer): string | undefined {
  return /<[^>]*\/v1([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
}

export const malformedIds = ['0', '-1', '01', '1.5', '1e3', 'abc', '9223372036854775808'];
/** Well-formed ids of no record; the last two would round to a neighbour. */
export const absentIds = ['999999999', '9007199254740993', '9223372036854775807'];
