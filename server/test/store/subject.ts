// The services as the model test sees them: it performs steps and returns outcomes and views, in which pets and orders
// are numbered in the order of their creation. The datastore is real.

import { expect } from 'vitest';
import { type Datastore, dryRun, type Transaction } from '../../src/datastore/datastore.ts';
import type { FieldFault } from '../../src/domain/errors.ts';
import { Refusal } from '../../src/domain/errors.ts';
import type { MovementRecord, StockRecord } from '../../src/domain/inventory.ts';
import type { Caller } from '../../src/domain/key.ts';
import {
  type NewOrder,
  type OrderRecord,
  type OrderState,
  orderStates,
} from '../../src/domain/order.ts';
import type { PetRecord } from '../../src/domain/pet.ts';
import { type PetStatus, statusOf } from '../../src/domain/stock.ts';
import { inventoryItemView } from '../../src/operations/views/inventory.ts';
import { placeOrders } from '../../src/services/batches/order-batches.ts';
import { setStock } from '../../src/services/batches/stock-batches.ts';
import { expireOverdue } from '../../src/services/expiry.ts';
import { adjustInventory, reverseMovement, updateInventory } from '../../src/services/inventory.ts';
import { cancelOrder, placeOrder, updateOrder } from '../../src/services/orders.ts';
import { createPet, deletePet, updatePet } from '../../src/services/pets.ts';
import { countsOf } from './shop.ts';
import type { LedgerRow, ModelOrder, Outcome, Pick, Step, View } from './steps.ts';

const NOW = 1_800_000_000_000;
const ABSENT_ID = 2 ** 52;
const everything = { limit: 1_000, sort: 'id' } as const;
const unconditionally = () => undefined;

export interface Filters {
  status?: PetStatus;
  availableBelow?: number;
  pet?: number;
  complete?: boolean;
  /** All of them if absent. */
  state?: readonly OrderState[] | undefined;
  shipDateFrom?: number;
  shipDateTo?: number;
}

/** A pet and an order of another workspace, which no step may change. */
export interface Foreign {
  pet: number;
  order: number;
}

export class Subject {
  readonly #store: Datastore;
  readonly #caller: Caller;
  readonly #categoryId: number;
  readonly #foreign: Foreign;
  /** Ids in the order of their creation. */
  readonly #pets: number[] = [];
  readonly #orders: number[] = [];
  readonly #start: number;
  #now: number;

  constructor(
    store: Datastore,
    caller: Caller,
    categoryId: number,
    foreign: Foreign,
    start: number,
  ) {
    this.#start = start;
    this.#now = start;
    this.#store = store;
    this.#caller = caller;
    this.#categoryId = categoryId;
    this.#foreign = foreign;
  }

  /** A subject in a new workspace. */
  static async open(store: Datastore, foreign: Foreign, start = NOW): Promise<Subject> {
    const limits = { perMinute: 1, perDay: 1 };
    const { id: workspaceId } = await store.transact((tx) =>
      tx.workspaces.create({ name: 'shop', plan: 'enterprise', limits, createdAt: NOW }),
    );
    const category = await store.transact((tx) => tx.categories.create(workspaceId, { name: 'c' }));
    const caller: Caller = { keyId: 'key', workspaceId, scopes: [], limits };
    return new Subject(store, caller, category!.id, foreign, start);
  }

  /** Creates a pet with five units and an open order of one. */
  async makeForeign(): Promise<Foreign> {
    await this.perform({ kind: 'createPet', status: undefined });
    await this.perform({ kind: 'updateInventory', pet: 0, quantity: 5 });
    await this.perform({ kind: 'placeOrder', pet: 0, quantity: 1, complete: false });
    return { pet: this.#pets[0]!, order: this.#orders[0]! };
  }

  async perform(step: Step): Promise<Outcome> {
    return outcomeOf(async () => {
      const show = await this.#store.transact((tx) => this.#run(tx, step));
      return show?.();
    });
  }

  /** What the step would do. A value is left out: it names records that are not kept. */
  async dryRun(step: Step): Promise<Outcome> {
    return outcomeOf(async () => {
      await dryRun(this.#store, (tx) => this.#run(tx, step));
    });
  }

  async view(filters: Filters = {}): Promise<View> {
    const { read } = this.#store;
    const { workspaceId } = this.#caller;
    const { status, availableBelow, pet, state, ...rest } = { state: orderStates, ...filters };
    const ofStatus = status ? { status } : {};
    const below = availableBelow === undefined ? {} : { availableBelow };
    const ofPet = pet === undefined ? {} : { petId: this.#pets[pet] ?? ABSENT_ID };
    const [pets, items, orders] = await Promise.all([
      read.pets.list(workspaceId, ofStatus, everything),
      read.stock.list(workspaceId, { ...ofStatus, ...below }, everything),
      read.orders.list(workspaceId, { ...ofPet, ...(state ? { state } : {}), ...rest }, everything),
    ]);
    return {
      pets: pets.items.map((record) => this.#showPet(record)),
      items: items.items.map((item) => this.#showItem(item)),
      orders: orders.items.map((order) => this.#showOrder(order)),
    };
  }

  get now(): number {
    return this.#now;
  }

  /** The stock as of a moment. */
  async itemsAt(asOf: number): Promise<View['items']> {
    const { ledger } = this.#store.read;
    const { workspaceId } = this.#caller;
    const { items } = await ledger.listAsOf(workspaceId, { asOf }, everything);
    for (const item of items) {
      expect(await ledger.stockAsOf(workspaceId, item.petId, asOf)).toEqual(item);
    }
    return items.map((item) => this.#showItem(item));
  }

  async ledger(pet: number): Promise<LedgerRow[]> {
    const { workspaceId } = this.#caller;
    const petId = this.#pets[pet]!;
    const { items } = await this.#store.read.ledger.list(workspaceId, { petId }, everything);
    return items.map((movement) => this.#showMovement(movement));
  }

  /** Returns a function that records the outcome after the commit: an engine may run a unit of work more than once. */
  async #run(tx: Transaction, step: Step): Promise<(() => unknown) | undefined> {
    if ('order' in step) return this.#runOnOrder(tx, step);
    if (step.kind === 'passTime') {
      return () => {
        this.#now += step.ms;
      };
    }
    if ('rows' in step) return this.#runBatch(tx, step);
    const caller = this.#caller;
    if (step.kind === 'createPet') {
      const status = step.status ? { status: step.status } : {};
      const input = { name: 'Rex', categoryId: this.#categoryId, ...status };
      const pet = await createPet(tx, { caller, pet: input, now: this.#now });
      return () => {
        this.#pets.push(pet.id);
        return this.#showPet(pet);
      };
    }
    const id = this.#petId(step.pet);
    const now = this.#now;
    const change = { caller, id, checkMatch: unconditionally, now };
    switch (step.kind) {
      case 'expireOrders': {
        const wanted = new Map([[id, Number.MAX_SAFE_INTEGER]]);
        await expireOverdue(tx, { workspaceId: caller.workspaceId, wanted }, now);
        return undefined;
      }
      case 'updatePet': {
        const { status, name } = step;
        const patch = { ...(status === undefined ? {} : { status }), ...(name ? { name } : {}) };
        const pet = await updatePet(tx, { ...change, patch });
        return () => this.#showPet(pet);
      }
      case 'deletePet':
        await deletePet(tx, change);
        return undefined;
      case 'updateInventory': {
        const item = await updateInventory(tx, { ...change, count: step });
        return () => this.#showItem(item);
      }
      case 'adjustInventory': {
        const movement = await adjustInventory(tx, { ...change, adjustment: step });
        return () => this.#showMovement(movement);
      }
      case 'undo': {
        const { items } = await tx.ledger.list(caller.workspaceId, { petId: id }, everything);
        const movementId = items[step.row]?.id ?? ABSENT_ID;
        const undone = { caller, id, movementId, reason: undefined, now };
        const movement = await reverseMovement(tx, undone);
        return () => this.#showMovement(movement);
      }
      case 'placeOrder': {
        const { kind: _, pet: __, expiresIn, ...rest } = step;
        const order = { ...rest, petId: id, ...this.#expiring(expiresIn) } as NewOrder;
        const placed = await placeOrder(tx, { caller, order, now });
        return () => {
          this.#orders.push(placed.id);
          return this.#showOrder(placed);
        };
      }
    }
  }

  async #runBatch(tx: Transaction, step: Extract<Step, { rows: unknown[] }>) {
    const batch = { caller: this.#caller, isAllOrNothing: step.isAll, now: this.#now };
    if (step.kind === 'setStock') {
      const rows = step.rows.map(({ pet, ...row }) => ({ petId: this.#petId(pet), ...row }));
      const outcomes = await setStock(tx, { ...batch, rows });
      return () =>
        outcomes.map((outcome) =>
          'refusal' in outcome
            ? refusedOf(outcome.refusal)
            : { value: outcome.movement ? 'changed' : 'unchanged' },
        );
    }
    const rows = step.rows.map(({ pet, expiresIn, ...row }) => {
      return { ...row, petId: this.#petId(pet), ...this.#expiring(expiresIn) } as NewOrder;
    });
    const outcomes = await placeOrders(tx, { ...batch, rows });
    return () =>
      outcomes.map((outcome) => {
        if ('refusal' in outcome) return refusedOf(outcome.refusal);
        this.#orders.push(outcome.order.id);
        return { value: this.#showOrder(outcome.order) };
      });
  }

  async #runOnOrder(tx: Transaction, step: Extract<Step, { order: Pick }>) {
    const id = this.#orderId(step.order);
    const change = { caller: this.#caller, id, checkMatch: unconditionally, now: this.#now };
    if (step.kind === 'cancelOrder') {
      const { reason } = step;
      await cancelOrder(tx, { ...change, ...(reason === undefined ? {} : { reason }) });
      return undefined;
    }
    const { expiresIn, ...rest } = step.patch;
    const patch = { ...rest, ...this.#expiring(expiresIn) };
    const order = await updateOrder(tx, { ...change, patch });
    return () => this.#showOrder(order);
  }

  #expiring(ms: number | null | undefined): { expiresAt?: number | null } {
    if (ms === undefined) return {};
    return { expiresAt: ms === null ? null : this.#now + ms };
  }

  #petId(pick: Pick): number {
    return pick === 'foreign' ? this.#foreign.pet : (this.#pets[pick as number] ?? ABSENT_ID);
  }

  #orderId(pick: Pick): number {
    return pick === 'foreign' ? this.#foreign.order : (this.#orders[pick as number] ?? ABSENT_ID);
  }

  #showPet({ id, name, stock }: PetRecord): View['pets'][number] {
    return { pet: this.#pets.indexOf(id), name, status: statusOf(stock) };
  }

  #showItem(record: StockRecord): View['items'][number] {
    const { petId, ...counts } = inventoryItemView(record);
    return { pet: this.#pets.indexOf(petId), ...counts };
  }

  #showOrder({ id, petId, createdAt: _, expiresAt, endedAt, ...order }: OrderRecord): ModelOrder {
    const expiring = expiresAt === undefined ? {} : { expiresAt: expiresAt - this.#start };
    const ending = endedAt === undefined ? {} : { endedAt: endedAt - this.#start };
    return {
      order: this.#orders.indexOf(id),
      pet: this.#pets.indexOf(petId),
      ...order,
      ...expiring,
      ...ending,
    };
  }

  #showMovement(movement: MovementRecord): LedgerRow {
    const { orderId } = movement;
    const counts = countsOf(movement);
    return orderId === undefined ? counts : [...counts, this.#orders.indexOf(orderId)];
  }
}

async function outcomeOf(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await run() };
  } catch (err) {
    if (!(err instanceof Refusal)) throw err;
    return refusedOf(err);
  }
}

function refusedOf(refusal: Refusal): Outcome {
  const facts = factsOf(refusal);
  return { refused: refusal.code, ...(facts ? { facts } : {}) };
}

/** The details that the contract names. */
function factsOf({ details }: Refusal): Outcome['facts'] {
  if (details === undefined) return undefined;
  if (Array.isArray(details)) return { field: (details as FieldFault[])[0]?.field };
  const { available, reserved } = details as Record<string, unknown>;
  if (available === undefined && reserved === undefined) return undefined;
  return available === undefined ? { reserved } : { available };
}
