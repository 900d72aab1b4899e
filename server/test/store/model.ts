// A small model of stock and orders, written from the contract. It shares no code with the service. `reserved` is
// no counter here but the sum of the open orders, so that a counter that drifts is found.

import type { Counts } from './shop.ts';

export type Status = 'available' | 'pending' | 'sold';

/** The pet or order of a step: one of the history, one of another workspace, or an absent one. */
export type Pick = number | 'foreign' | 'absent';

export type Step =
  | { kind: 'createPet'; status: Status | undefined }
  | { kind: 'updatePet'; pet: Pick; status: Status | null | undefined; name: string | undefined }
  | { kind: 'deletePet'; pet: Pick }
  | { kind: 'setStock'; pet: Pick; quantity: number }
  | { kind: 'adjustStock'; pet: Pick; delta: number }
  | { kind: 'placeOrder'; pet: Pick; quantity: number; shipDate?: number; complete: boolean }
  | { kind: 'updateOrder'; order: Pick; patch: OrderChange }
  | { kind: 'cancelOrder'; order: Pick };

export interface OrderChange {
  quantity?: number;
  shipDate?: number | null;
  complete?: boolean;
}

/** The outcome of a step. Pets and orders are numbered in the order of their creation. */
export interface Outcome {
  refused?: string;
  /** The facts of a refusal: what is available or reserved, or the field at fault. */
  facts?: Record<string, unknown>;
  value?: unknown;
}

export interface View {
  pets: { pet: number; name: string; status: Status }[];
  items: { pet: number; quantity: number; reserved: number; available: number; status: Status }[];
  orders: ModelOrder[];
}

export interface ModelOrder {
  order: number;
  pet: number;
  quantity: number;
  complete: boolean;
  shipDate?: number;
}

export type LedgerRow = [...Counts, order?: number];

interface ModelPet {
  name: string;
  quantity: number;
  isHeld: boolean;
  isDeleted: boolean;
  ledger: LedgerRow[];
}

const STOCK_MAX = 1_000_000_000;
const notFound: Outcome = { refused: 'not_found' };
const complete: Outcome = { refused: 'order_complete' };

export class Model {
  readonly pets: ModelPet[] = [];
  /** Undefined once it is cancelled. */
  readonly orders: (ModelOrder | undefined)[] = [];

  apply(step: Step): Outcome {
    if (step.kind === 'createPet') return this.#createPet(step.status ?? 'available');
    if ('order' in step) {
      const order = typeof step.order === 'number' ? this.orders[step.order] : undefined;
      if (!order) return notFound;
      if (step.kind === 'updateOrder') return this.#updateOrder(order, step.patch);
      return this.#cancelOrder(order);
    }
    const at = step.pet;
    const pet = typeof at === 'number' ? this.pets[at] : undefined;
    if (typeof at !== 'number' || !pet || pet.isDeleted) {
      const unknown = { refused: 'invalid_request', facts: { field: 'petId' } };
      return step.kind === 'placeOrder' ? unknown : notFound;
    }
    switch (step.kind) {
      case 'updatePet':
        return this.#updatePet(at, pet, step);
      case 'deletePet':
        return this.#deletePet(at, pet);
      case 'setStock':
        return this.#setStock(at, pet, step.quantity, 'set') ?? { value: this.#item(at) };
      case 'adjustStock':
        return this.#adjustStock(at, pet, step.delta);
      case 'placeOrder':
        return this.#placeOrder(at, pet, step);
    }
  }

  view(): View {
    const there = [...this.pets.keys()].filter((at) => !this.pets[at]!.isDeleted);
    return {
      pets: there.map((at) => this.#pet(at)),
      items: there.map((at) => this.#item(at)),
      orders: this.orders.filter((order) => order !== undefined),
    };
  }

  #createPet(status: Status): Outcome {
    const quantity = status === 'sold' ? 0 : 1;
    const ledger: LedgerRow[] = [['created', [0, quantity], [0, 0]]];
    const isHeld = status === 'pending';
    this.pets.push({ name: 'Rex', quantity, isHeld, isDeleted: false, ledger });
    return { value: this.#pet(this.pets.length - 1) };
  }

  #updatePet(at: number, pet: ModelPet, { status, name }: Step & { kind: 'updatePet' }): Outcome {
    if (status && status !== this.#status(at)) {
      const refused = this.#changeStatus(at, pet, status);
      if (refused) return refused;
    }
    pet.name = name ?? pet.name;
    return { value: this.#pet(at) };
  }

  #deletePet(at: number, pet: ModelPet): Outcome {
    const reserved = this.#reserved(at);
    if (reserved > 0) return { refused: 'pet_has_open_orders', facts: { reserved } };
    pet.isDeleted = true;
    return { value: undefined };
  }

  #changeStatus(at: number, pet: ModelPet, to: Status): Outcome | undefined {
    const reserved = this.#reserved(at);
    if (to === 'sold') {
      if (reserved > 0) return { refused: 'pet_has_open_orders', facts: { reserved } };
      return this.#setStock(at, pet, 0, 'sold');
    }
    const available = pet.quantity - reserved;
    const isPossible = to === 'pending' ? pet.quantity > 0 : available > 0;
    if (!isPossible) return { refused: 'invalid_status_change', facts: { available } };
    pet.isHeld = to === 'pending';
    return undefined;
  }

  #setStock(at: number, pet: ModelPet, to: number, cause: string): Outcome | undefined {
    const reserved = this.#reserved(at);
    if (to < reserved) return { refused: 'below_reserved', facts: { reserved } };
    if (to !== pet.quantity) pet.ledger.push([cause, [pet.quantity, to], [reserved, reserved]]);
    pet.quantity = to;
    return undefined;
  }

  #adjustStock(at: number, pet: ModelPet, delta: number): Outcome {
    const to = pet.quantity + delta;
    if (to > STOCK_MAX) return { refused: 'invalid_request', facts: { field: 'delta' } };
    return this.#setStock(at, pet, to, 'adjusted') ?? { value: pet.ledger.at(-1) };
  }

  #placeOrder(at: number, pet: ModelPet, step: Step & { kind: 'placeOrder' }): Outcome {
    if (pet.isHeld) return { refused: 'pet_on_hold' };
    const { quantity, shipDate } = step;
    const reserved = this.#reserved(at);
    const available = pet.quantity - reserved;
    if (available < quantity) return { refused: 'insufficient_stock', facts: { available } };
    const order: ModelOrder = {
      order: this.orders.length,
      pet: at,
      quantity,
      complete: step.complete,
      ...(shipDate === undefined ? {} : { shipDate }),
    };
    this.orders.push(order);
    if (order.complete) {
      const left = pet.quantity - quantity;
      const counts: Counts = ['fulfilled', [pet.quantity, left], [reserved, reserved]];
      pet.ledger.push([...counts, order.order]);
      pet.quantity = left;
    } else {
      this.#noteReservation(order, reserved, reserved + quantity);
    }
    return { value: { ...order } };
  }

  #updateOrder(order: ModelOrder, patch: OrderChange): Outcome {
    if (order.complete) {
      return Object.keys(patch).length > 0 ? complete : { value: { ...order } };
    }
    const pet = this.pets[order.pet]!;
    const before = this.#reserved(order.pet);
    const more = (patch.quantity ?? order.quantity) - order.quantity;
    const available = pet.quantity - before;
    if (more > available) return { refused: 'insufficient_stock', facts: { available } };
    order.quantity += more;
    if (more !== 0) this.#noteReservation(order, before, before + more);
    if (patch.shipDate === null) delete order.shipDate;
    else if (patch.shipDate !== undefined) order.shipDate = patch.shipDate;
    if (patch.complete) this.#fulfil(order, pet);
    return { value: { ...order } };
  }

  #fulfil(order: ModelOrder, pet: ModelPet): void {
    const reserved = this.#reserved(order.pet);
    const left = pet.quantity - order.quantity;
    const counts: Counts = [
      'fulfilled',
      [pet.quantity, left],
      [reserved, reserved - order.quantity],
    ];
    pet.ledger.push([...counts, order.order]);
    pet.quantity = left;
    order.complete = true;
  }

  #cancelOrder(order: ModelOrder): Outcome {
    if (order.complete) return complete;
    const reserved = this.#reserved(order.pet);
    this.#noteReservation(order, reserved, reserved - order.quantity);
    this.orders[order.order] = undefined;
    return { value: undefined };
  }

  #noteReservation(order: ModelOrder, before: number, after: number): void {
    const { quantity, ledger } = this.pets[order.pet]!;
    const cause = after > before ? 'reserved' : 'released';
    ledger.push([cause, [quantity, quantity], [before, after], order.order]);
  }

  #reserved(at: number): number {
    const open = this.orders.filter((order) => order && order.pet === at && !order.complete);
    return open.reduce((sum, order) => sum + order!.quantity, 0);
  }

  #status(at: number): Status {
    const { quantity, isHeld } = this.pets[at]!;
    if (quantity === 0) return 'sold';
    return isHeld || this.#reserved(at) === quantity ? 'pending' : 'available';
  }

  #pet(at: number): View['pets'][number] {
    return { pet: at, name: this.pets[at]!.name, status: this.#status(at) };
  }

  #item(at: number): View['items'][number] {
    const { quantity } = this.pets[at]!;
    const reserved = this.#reserved(at);
    const status = this.#status(at);
    return { pet: at, quantity, reserved, available: quantity - reserved, status };
  }
}
