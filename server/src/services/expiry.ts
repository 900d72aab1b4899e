// Orders that expire. An order is open until the transaction that ends it: reads do not look at the time, so a cached
// response stays right, and completing or prolonging an order whose time has come keeps it.

import type { LoggedChange } from '../datastore/cluster/changes.ts';
import type { Transaction } from '../datastore/datastore.ts';
import {
  DUE_EXAMINED_MAX,
  type DuePosition,
  type ExpiredOrder,
} from '../datastore/orders/orders.ts';
import { changeReservation, type Stock } from '../domain/stock.ts';
import { chunksOf } from '../lib/chunks.ts';
import type { Clock } from '../lib/clock.ts';
import type { ChangeListener } from './cluster/change-log.ts';
import type { LeasedStore } from './cluster/leases.ts';
import type { Job } from './cluster/repeat-under-lease.ts';
import { type Move, moveStock } from './stock.ts';

/** How many orders one transaction ends. Other writes wait for no more than that. */
const BATCH_ORDERS = 100;
/** How many orders are released at a time. */
const RELEASED_MAX = 1_000;
const SWEEP_MS = 500;
const BEGINNING: DuePosition = { expiresAt: 0, id: 0 };
/** An order that is committed late, or by a node whose clock is behind, is not passed over within this time. */
const SETTLED_MS = 60_000;
/** Orders of about so many workspaces that are not active are passed over. Others are looked at in each sweep. */
const PASSED_MAX = 10_000;
const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Orders hold more units of these pets than the pets have reserved. Their counts must be repaired first. */
class Miscounted extends Error {
  readonly petIds: readonly number[];
  constructor(petIds: readonly number[]) {
    const pets = petIds.map((petId) => `pet ${petId}`).join(', ');
    super(
      `${pets}: fewer units are reserved than open orders hold; run \`petstore server reconcile\``,
    );
    this.petIds = petIds;
  }
}

interface OverdueScope {
  workspaceId: number;
  /** How many units the caller wants of each pet. Each order holds one at least, so no more orders are ended than that. */
  wanted: ReadonlyMap<number, number>;
  /** An order that the caller has locked. */
  except?: number;
  /** All pets that the caller goes on to lock; those in `wanted` if absent. */
  lockedPetIds?: readonly number[];
}

/**
 * Ends as many orders of these pets whose time has come as the caller needs. The orders are locked first, by pet and time,
 * then all pets at once, by id: no two transactions that lock in this order wait for each other.
 */
export async function expireOverdue(
  tx: Transaction,
  { wanted, lockedPetIds = [...wanted.keys()], ...scope }: OverdueScope,
  now: number,
): Promise<void> {
  const orders: ExpiredOrder[] = [];
  for (const [petId, limit] of [...wanted].toSorted(([a], [b]) => a - b)) {
    orders.push(...(await tx.orders.expireDueOfPet({ ...scope, petId, limit }, now)));
  }
  if (orders.length === 0) return;
  const stocks = await tx.stock.lockMany(scope.workspaceId, lockedPetIds);
  for (const part of chunksOf(orders, RELEASED_MAX)) {
    await release(tx, { workspaceId: scope.workspaceId, orders: part, stocks }, now);
  }
}

interface Expired {
  workspaceId: number;
  orders: readonly ExpiredOrder[];
  /** The locked stocks of their pets. They are moved on. */
  stocks: Map<number, Stock>;
}

/** Releases the units of orders that have expired, each with its ledger row and its event. */
async function release(tx: Transaction, { workspaceId, orders, stocks }: Expired, now: number) {
  const moves = orders.map(({ workspaceId: _, ...order }): Move => {
    const { id: orderId, petId, quantity, endReason } = order;
    const before = stocks.get(petId)!;
    const after = changeReservation({ id: petId, stock: before }, -quantity);
    stocks.set(petId, after);
    const events = [{ type: 'order.expired', data: { order } } as const];
    return { petId, before, after, cause: 'released', orderId, reason: endReason, events };
  });
  const miscounted = [...stocks].filter(([, { reserved }]) => reserved < 0);
  if (miscounted.length > 0) throw new Miscounted(miscounted.map(([petId]) => petId));
  await moveStock(tx, { caller: { workspaceId }, now }, moves);
}

/** Releases the units of orders of several workspaces. Their pets are locked by workspace and id. */
async function releaseAll(tx: Transaction, orders: readonly ExpiredOrder[], now: number) {
  const byWorkspace = [...Map.groupBy(orders, ({ workspaceId }) => workspaceId)];
  for (const [workspaceId, own] of byWorkspace.toSorted(([a], [b]) => a - b)) {
    const petIds = [...new Set(own.map(({ petId }) => petId))];
    const stocks = await tx.stock.lockMany(workspaceId, petIds);
    await release(tx, { workspaceId, orders: own, stocks }, now);
  }
}

interface ExpirySweepOptions {
  clock: Clock;
  /** Called for each workspace in which an order may have expired, as soon as the transaction has ended. */
  onChange: (workspaceId: number) => void;
  onFailure: (err: unknown) => void;
}

/**
 * Ends every order whose time has come, on the node that has the lease. A request may end an order at the same time: each
 * order is ended by one transaction, which releases its units.
 */
export class ExpirySweep implements ChangeListener {
  readonly job: Job = {
    name: 'expiry',
    everyMs: SWEEP_MS,
    run: (store, signal) => this.sweep(store, signal),
  };
  readonly #options: ExpirySweepOptions;
  /**
   * Before it are only orders of workspaces that are not active, and of pets that are miscounted. They are not looked at again
   * until the log of changes says so.
   */
  #after = BEGINNING;
  readonly #passed = new Set<number>();
  readonly #miscounted = new Set<number>();
  #stateChanges = 0;

  constructor(options: ExpirySweepOptions) {
    this.#options = options;
  }

  drop({ kind, workspaceId }: LoggedChange): void {
    if (kind === 'workspace') this.#stateChanges += 1;
    const isPassed = kind === 'workspace' && this.#passed.has(workspaceId);
    if (kind === 'overdue' || isPassed) this.clear();
  }

  clear(): void {
    this.#stateChanges += 1;
    this.#after = BEGINNING;
    this.#passed.clear();
    this.#miscounted.clear();
  }

  /**
   * Ends all orders of active workspaces that are due, batch by batch. Requests are served between two batches. Pets that are
   * miscounted are reported when they are found, and skipped from then on.
   */
  async sweep(store: LeasedStore, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const found = new Set<number>();
    const stateChanges = this.#stateChanges;
    let after = this.#after;
    for (let isFirst = true; !signal?.aborted; await nextTick()) {
      const due = await store.read.orders.listDue(clock.now(), after);
      const last = due.at(-1);
      if (!last) break;
      if (due.some(({ isEnding, petId }) => isEnding && !this.#miscounted.has(petId))) {
        isFirst = false;
        const range = { after, last };
        while (!signal?.aborted && (await this.#endBatch(store, range, found))) {
          await nextTick();
        }
      } else if (isFirst && last.expiresAt < clock.now() - SETTLED_MS) {
        if (this.#stateChanges === stateChanges) this.#pass(due, last);
      }
      if (due.length < DUE_EXAMINED_MAX) break;
      after = last;
    }
    if (found.size > 0) this.#options.onFailure(new Miscounted([...found]));
  }

  #pass(due: readonly { workspaceId: number }[], last: DuePosition): void {
    if (this.#passed.size >= PASSED_MAX) return;
    for (const { workspaceId } of due) this.#passed.add(workspaceId);
    this.#after = last;
  }

  /** Returns whether more orders may be due. Adds the miscounted pets that kept it from ending any. */
  async #endBatch(
    store: LeasedStore,
    range: { after: DuePosition; last: DuePosition },
    found: Set<number>,
  ): Promise<boolean> {
    const now = this.#options.clock.now();
    // A batch that fails may have been committed, and an engine may run it more than once.
    const workspaceIds = new Set<number>();
    const batch = { ...range, limit: BATCH_ORDERS, exceptPets: [...this.#miscounted] };
    try {
      return await store.transact(async (tx) => {
        const orders = await tx.orders.expireDue(now, batch);
        for (const { workspaceId } of orders) workspaceIds.add(workspaceId);
        await releaseAll(tx, orders, now);
        return orders.length === BATCH_ORDERS;
      });
    } catch (err) {
      if (!(err instanceof Miscounted)) throw err;
      for (const petId of err.petIds) {
        this.#miscounted.add(petId);
        found.add(petId);
      }
      workspaceIds.clear();
      return true;
    } finally {
      for (const workspaceId of workspaceIds) this.#options.onChange(workspaceId);
    }
  }
}
