// What can happen in the demo store. Each function writes through a service, at the time of the timeline.

import type { Transaction } from '../../datastore/datastore.ts';
import type { Caller } from '../../domain/key.ts';
import { availableOf } from '../../domain/stock.ts';
import { adjustInventory, updateInventory } from '../../services/inventory.ts';
import { cancelOrder, placeOrder, updateOrder } from '../../services/orders.ts';
import { updatePet } from '../../services/pets.ts';
import type { DemoAnimal, DemoStaff } from './catalogue.ts';
import type { Timeline } from './timeline.ts';

export interface DemoPet extends DemoAnimal {
  id: number;
}

export interface Note {
  reason: string;
  reference: string;
}

interface Purchase {
  by: DemoStaff;
  quantity: number;
  shipDate?: number;
  isComplete?: boolean;
  customer?: string;
}

interface ShopParts {
  tx: Transaction;
  staff: Readonly<Record<DemoStaff, Caller>>;
  timeline: Timeline;
}

const FIRST_REFERENCE = 2041;
const anyVersion = { checkMatch: () => undefined };

export class Shop {
  readonly #tx: Transaction;
  readonly #staff: Readonly<Record<DemoStaff, Caller>>;
  readonly #timeline: Timeline;
  readonly counts = { orders: 0, openOrders: 0 };
  #references = 0;

  constructor({ tx, staff, timeline }: ShopParts) {
    this.#tx = tx;
    this.#staff = staff;
    this.#timeline = timeline;
  }

  /** How many can be ordered now. */
  async available({ id }: DemoPet): Promise<number> {
    const stock = await this.#tx.stock.lock(this.#staff.warehouse.workspaceId, id);
    return stock.held ? 0 : availableOf(stock);
  }

  async adjust(pet: DemoPet, change: Note & { delta: number; by?: DemoStaff }): Promise<void> {
    const { by = 'warehouse', ...adjustment } = change;
    if (adjustment.delta === 0) return;
    await adjustInventory(this.#tx, { ...this.#by(by), id: pet.id, adjustment });
  }

  /** A count that finds one less than the ledger has. */
  async countOneLess(pet: DemoPet, note: Note): Promise<void> {
    const { quantity } = await this.#tx.stock.lock(this.#staff.warehouse.workspaceId, pet.id);
    const count = { ...note, quantity: quantity - 1 };
    await updateInventory(this.#tx, { ...this.#by('warehouse'), ...anyVersion, id: pet.id, count });
  }

  /** Places an order for as many as there are, if there are any. Returns its id. */
  async place(pet: DemoPet, purchase: Purchase): Promise<number | undefined> {
    const { by, shipDate, isComplete = false, customer } = purchase;
    const quantity = Math.min(purchase.quantity, await this.available(pet));
    if (quantity === 0) return undefined;
    const order = {
      petId: pet.id,
      quantity,
      complete: isComplete,
      ...(shipDate && { shipDate }),
      ...(customer && { customer, reference: `WEB-${FIRST_REFERENCE + this.#references++}` }),
    };
    const { id } = await placeOrder(this.#tx, { ...this.#by(by), order });
    this.counts.orders += 1;
    if (!isComplete) this.counts.openOrders += 1;
    return id;
  }

  async fulfil(id: number): Promise<void> {
    const patch = { complete: true };
    await updateOrder(this.#tx, { ...this.#by('warehouse'), ...anyVersion, id, patch });
    this.counts.openOrders -= 1;
  }

  async cancel(id: number): Promise<void> {
    const reason = 'Changed their mind';
    await cancelOrder(this.#tx, { ...this.#by('web shop'), ...anyVersion, id, reason });
    this.counts.orders -= 1;
    this.counts.openOrders -= 1;
  }

  /** Keeps a pet from being sold. */
  async hold(pet: DemoPet): Promise<void> {
    const patch = { status: 'pending' } as const;
    await updatePet(this.#tx, { ...this.#by('counter'), ...anyVersion, id: pet.id, patch });
  }

  #by(staff: DemoStaff): { caller: Caller; now: number } {
    return { caller: this.#staff[staff], now: this.#timeline.now };
  }
}
