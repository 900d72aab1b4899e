// A small model of stock and orders, written from the contract. It shares no code with the service. `reserved` is
// no counter here but the sum of the open orders, so that a counter that drifts is found.

import type { Counts } from './shop.ts';
import type {
  LedgerRow,
  ModelOrder,
  OrderChange,
  OrderLine,
  OrderState,
  Outcome,
  Pick,
  Status,
  Step,
  View,
} from './steps.ts';

interface ModelPet {
  name: string;
  quantity: number;
  isHeld: boolean;
  isDeleted: boolean;
  ledger: LedgerRow[];
  /** The rows that were taken back. */
  reversed: Set<number>;
}

const STOCK_MAX = 1_000_000_000;
const notFound: Outcome = { refused: 'not_found' };
const ended = (order: ModelOrder): Outcome =>
  order.state === 'complete' ? { refused: 'order_complete' } : { refused: 'order_ended' };
const noExpiry: Outcome = { refused: 'invalid_request', facts: { field: 'expiresAt' } };

export class Model {
  pets: ModelPet[] = [];
  orders: ModelOrder[] = [];
  #now = 0;

  apply(step: Step): Outcome {
    if (step.kind === 'placeOrders') return this.#placeOrders(step);
    if (step.kind === 'setStock') return this.#setStock(step);
    if (step.kind === 'createPet') return this.#createPet(step.status ?? 'available');
    if (step.kind === 'passTime') {
      this.#now += step.ms;
      return { value: undefined };
    }
    if (isExpiryOfComplete(step)) return noExpiry;
    if ('order' in step) {
      const order = typeof step.order === 'number' ? this.orders[step.order] : undefined;
      if (!order) return notFound;
      if (step.kind === 'updateOrder') return this.#updateOrder(order, step.patch);
      return this.#cancelOrder(order, step.reason);
    }
    const at = step.pet;
    if (step.kind === 'expireOrders') {
      if (typeof at === 'number') this.#expire(at, Number.MAX_SAFE_INTEGER);
      return { value: undefined };
    }
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
      case 'updateInventory':
        return this.#updateInventory(at, pet, step.quantity, 'set') ?? { value: this.#item(at) };
      case 'adjustInventory':
        return this.#adjustInventory(at, pet, step.delta);
      case 'undo':
        return this.#undo(at, pet, step.row);
      case 'placeOrder':
        return this.#placeOrder(at, pet, step);
    }
  }

  /** Overdue orders of a pet that has too few units for the rows are ended before the first row. */
  #placeOrders(step: Step & { kind: 'placeOrders' }): Outcome {
    const before = structuredClone({ pets: this.pets, orders: this.orders });
    for (const [at, wanted] of this.#lacking(step.rows)) this.#expire(at, wanted);
    const outcome = this.#applyAll('orders', step, (row) => {
      return this.apply({ kind: 'placeOrder', ...row });
    });
    if (outcome.refused) Object.assign(this, before);
    return outcome;
  }

  /** The pets that lack units, and how many units all rows want of each. */
  #lacking(rows: OrderLine[]): Map<number, number> {
    const left = new Map(this.pets.map((_, at) => [at, this.#item(at).available]));
    const wanted = new Map<number, number>();
    const lacking = new Set<number>();
    for (const { pet, quantity, complete, expiresIn } of rows) {
      const isInvalid = complete && expiresIn !== undefined;
      if (typeof pet !== 'number' || isInvalid) continue;
      wanted.set(pet, (wanted.get(pet) ?? 0) + quantity);
      const { isHeld, isDeleted } = this.pets[pet]!;
      if (isHeld || isDeleted) continue;
      if (quantity > left.get(pet)!) lacking.add(pet);
      else left.set(pet, left.get(pet)! - quantity);
    }
    return new Map([...wanted].filter(([pet]) => lacking.has(pet)));
  }

  /** The rows one after the other. If all must be done, one that is refused takes back the others. */
  #applyAll<R extends { pet: Pick }>(
    field: string,
    { rows, isAll }: { rows: R[]; isAll: boolean },
    apply: (row: R) => Outcome,
  ): Outcome {
    const before = structuredClone({ pets: this.pets, orders: this.orders });
    const found: number[] = [];
    const outcomes = rows.map((row) => {
      found.push(typeof row.pet === 'number' ? this.#item(row.pet).available : 0);
      return apply(row);
    });
    if (!isAll || outcomes.every(({ refused }) => refused === undefined)) {
      return { value: outcomes };
    }
    Object.assign(this, before);
    const invalid = outcomes.findIndex(({ refused }) => refused === 'invalid_request');
    const at = invalid >= 0 ? invalid : outcomes.findIndex(({ refused }) => refused !== undefined);
    const { refused, facts } = outcomes[at]!;
    if (invalid < 0) return { refused: refused!, facts: { available: found[at] } };
    return { refused: refused!, facts: { field: `${field}.${at}.${facts!.field}` } };
  }

  #setStock(step: Step & { kind: 'setStock' }): Outcome {
    const pets = step.rows.map(({ pet }) => pet);
    const again = pets.findIndex((pet, at) => pets.indexOf(pet) < at);
    if (again >= 0) {
      return { refused: 'invalid_request', facts: { field: `items.${again}.petId` } };
    }
    return this.#applyAll('items', step, (row) => {
      const single =
        'delta' in row
          ? ({ kind: 'adjustInventory', ...row } as const)
          : ({ kind: 'updateInventory', ...row } as const);
      const before = typeof row.pet === 'number' ? this.pets[row.pet]?.quantity : undefined;
      const outcome = this.apply(single);
      if (outcome.refused === 'not_found') {
        return { refused: 'invalid_request', facts: { field: 'petId' } };
      }
      if (outcome.refused) return outcome;
      const isChanged = this.pets[row.pet as number]!.quantity !== before;
      return { value: isChanged ? 'changed' : 'unchanged' };
    });
  }

  view(): View {
    const there = [...this.pets.keys()].filter((at) => !this.pets[at]!.isDeleted);
    return {
      pets: there.map((at) => this.#pet(at)),
      items: there.map((at) => this.#item(at)),
      orders: this.orders.map((order) => ({ ...order })),
    };
  }

  #createPet(status: Status): Outcome {
    const quantity = status === 'sold' ? 0 : 1;
    const ledger: LedgerRow[] = [['created', [0, quantity], [0, 0]]];
    const isHeld = status === 'pending';
    const reversed = new Set<number>();
    this.pets.push({ name: 'Rex', quantity, isHeld, isDeleted: false, ledger, reversed });
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
      return this.#updateInventory(at, pet, 0, 'sold');
    }
    const available = pet.quantity - reserved;
    const isPossible = to === 'pending' ? pet.quantity > 0 : available > 0;
    if (!isPossible) return { refused: 'invalid_status_change', facts: { available } };
    pet.isHeld = to === 'pending';
    return undefined;
  }

  #updateInventory(at: number, pet: ModelPet, to: number, cause: string): Outcome | undefined {
    const reserved = this.#reserved(at);
    if (to < reserved) return { refused: 'below_reserved', facts: { reserved } };
    if (to !== pet.quantity) pet.ledger.push([cause, [pet.quantity, to], [reserved, reserved]]);
    pet.quantity = to;
    return undefined;
  }

  #adjustInventory(at: number, pet: ModelPet, delta: number): Outcome {
    const to = pet.quantity + delta;
    if (to > STOCK_MAX) return { refused: 'invalid_request', facts: { field: 'delta' } };
    return this.#updateInventory(at, pet, to, 'adjusted') ?? { value: pet.ledger.at(-1) };
  }

  #undo(at: number, pet: ModelPet, row: number): Outcome {
    const [cause, [before, after]] = pet.ledger[row]!;
    if (!['set', 'adjusted', 'sold'].includes(cause)) return { refused: 'not_reversible' };
    if (pet.reversed.has(row)) return { refused: 'already_reversed' };
    const to = pet.quantity + before - after;
    if (to > STOCK_MAX) return { refused: 'invalid_request', facts: { field: 'movementId' } };
    const refused = this.#updateInventory(at, pet, to, 'adjusted');
    if (refused) return refused;
    pet.reversed.add(row);
    return { value: pet.ledger.at(-1) };
  }

  #placeOrder(at: number, pet: ModelPet, step: Step & { kind: 'placeOrder' }): Outcome {
    if (pet.isHeld) return { refused: 'pet_on_hold' };
    const { quantity, shipDate, expiresIn } = step;
    const available = this.#makeRoom(at, pet, quantity);
    if (available < quantity) return { refused: 'insufficient_stock', facts: { available } };
    const reserved = this.#reserved(at);
    const order: ModelOrder = {
      order: this.orders.length,
      pet: at,
      quantity,
      state: step.complete ? 'complete' : 'open',
      ...(step.complete ? { endedAt: this.#now } : {}),
      ...(shipDate === undefined ? {} : { shipDate }),
      ...(expiresIn === undefined ? {} : { expiresAt: this.#now + expiresIn }),
    };
    this.orders.push(order);
    if (step.complete) {
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
    if (Object.keys(patch).length === 0) return { value: { ...order } };
    if (order.state !== 'open') return ended(order);
    const pet = this.pets[order.pet]!;
    const more = (patch.quantity ?? order.quantity) - order.quantity;
    const available = this.#makeRoom(order.pet, pet, more, order);
    const before = this.#reserved(order.pet);
    if (more > available) return { refused: 'insufficient_stock', facts: { available } };
    order.quantity += more;
    if (more !== 0) this.#noteReservation(order, before, before + more);
    if (patch.shipDate === null) delete order.shipDate;
    else if (patch.shipDate !== undefined) order.shipDate = patch.shipDate;
    if (patch.expiresIn === null) delete order.expiresAt;
    else if (patch.expiresIn !== undefined) order.expiresAt = this.#now + patch.expiresIn;
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
    this.#end(order, 'complete');
  }

  #cancelOrder(order: ModelOrder, reason: string | undefined): Outcome {
    if (order.state !== 'open') return ended(order);
    this.#release(order, 'cancelled', reason);
    return { value: undefined };
  }

  #release(order: ModelOrder, state: OrderState, reason: string | undefined): void {
    const reserved = this.#reserved(order.pet);
    this.#noteReservation(order, reserved, reserved - order.quantity);
    this.#end(order, state);
    if (reason !== undefined) order.endReason = reason;
  }

  #end(order: ModelOrder, state: OrderState): void {
    order.state = state;
    order.endedAt = this.#now;
    delete order.expiresAt;
  }

  /** What is available, once overdue orders are ended if they alone stand in the way. */
  #makeRoom(at: number, pet: ModelPet, units: number, except?: ModelOrder): number {
    const available = pet.quantity - this.#reserved(at);
    const overdue = this.#overdue(at).filter((order) => order !== except);
    const released = available + overdue.reduce((sum, order) => sum + order.quantity, 0);
    if (available < units && released >= units) this.#expire(at, units, except);
    return available < units ? released : available;
  }

  #overdue(at: number): ModelOrder[] {
    const isOverdue = (order: ModelOrder) => order.pet === at && order.expiresAt! <= this.#now;
    return this.orders.filter(isOverdue);
  }

  /** Ends the oldest overdue orders of the pet, as many as units are wanted. */
  #expire(at: number, wanted: number, except?: ModelOrder): void {
    const overdue = this.#overdue(at).filter((order) => order !== except);
    const oldest = overdue.toSorted((a, b) => a.expiresAt! - b.expiresAt!).slice(0, wanted);
    for (const order of overdue) {
      if (oldest.includes(order)) this.#release(order, 'expired', 'expired');
    }
  }

  #noteReservation(order: ModelOrder, before: number, after: number): void {
    const { quantity, ledger } = this.pets[order.pet]!;
    const cause = after > before ? 'reserved' : 'released';
    ledger.push([cause, [quantity, quantity], [before, after], order.order]);
  }

  #reserved(at: number): number {
    const open = this.orders.filter((order) => order.pet === at && order.state === 'open');
    return open.reduce((sum, order) => sum + order.quantity, 0);
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

function isExpiryOfComplete(step: Step): boolean {
  const { complete, expiresIn } = step.kind === 'updateOrder' ? step.patch : (step as OrderChange);
  return complete === true && expiresIn !== undefined;
}
