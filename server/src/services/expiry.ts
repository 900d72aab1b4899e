// Orders that expire. An order is open until the transaction that ends it: reads do not look at the time, so a cached
// response stays right, and completing or prolonging an order whose time has come keeps it.

import type { Datastore, Transaction } from '../datastore/datastore.ts';
import type { DueOrder, Release } from '../datastore/ledger/due-orders.ts';
import type { NewEvent } from '../domain/event.ts';
import { changeReservation } from '../domain/stock.ts';
import { chunksOf } from '../lib/chunks.ts';
import type { Clock } from '../lib/clock.ts';

const REASON = 'expired';
/** How many orders one transaction ends. Other writes wait for no more than that. */
const BATCH_ORDERS = 100;
/** How many ledger rows one statement writes. An engine takes a limited number of values. */
const ROWS_MAX = 1_000;
const SWEEP_MS = 500;

/** Orders hold more units of these pets than the pets have reserved. Their counts must be repaired first. */
class Miscounted extends Error {
  readonly petIds: readonly number[];
  constructor(petIds: readonly number[]) {
    const pets = petIds.map((petId) => `pet ${petId}`).join(', ');
    super(`${pets}: fewer units are reserved than open orders hold; run \`petstore reconcile\``);
    this.petIds = petIds;
  }
}

interface OverdueScope {
  workspaceId: number;
  petIds: readonly number[];
  /** An order that the caller has locked. */
  except?: number;
  /** All pets that the caller goes on to lock; those in `petIds` if absent. */
  lockedPetIds?: readonly number[];
}

/**
 * Ends the orders of these pets whose time has come. The orders are locked first, by pet and id, then all pets at once, by
 * id: no two transactions that lock in this order wait for each other.
 */
export async function expireOverdue(
  tx: Transaction,
  { petIds, lockedPetIds = petIds, ...scope }: OverdueScope,
  now: number,
): Promise<void> {
  const orders: DueOrder[] = [];
  for (const petId of petIds.toSorted((a, b) => a - b)) {
    orders.push(...(await tx.dueOrders.takeOfPet({ ...scope, petId }, now)));
  }
  if (orders.length === 0) return;
  await tx.batches.lockStocks(scope.workspaceId, lockedPetIds);
  for (const part of chunksOf(orders, ROWS_MAX)) await release(tx, part, now);
}

/** Releases the units of orders that were deleted, each with its ledger row and its event. */
async function release(tx: Transaction, orders: readonly DueOrder[], now: number): Promise<void> {
  if (orders.length === 0) return;
  const stocks = await tx.dueOrders.lockStocks([...new Set(orders.map(({ petId }) => petId))]);
  const releases = orders.map((order): Release => {
    const before = stocks.get(order.petId)!;
    const after = changeReservation({ id: order.petId, stock: before }, -order.quantity);
    stocks.set(order.petId, after);
    return { order, before, after };
  });
  const miscounted = [...stocks].filter(([, { reserved }]) => reserved < 0);
  if (miscounted.length > 0) throw new Miscounted(miscounted.map(([petId]) => petId));
  const movementIds = await tx.dueOrders.release(releases, { at: now, reason: REASON });
  const feeds = new Map<number, NewEvent[]>();
  for (const [at, { order, after }] of releases.entries()) {
    const { workspaceId, ...record } = order;
    const data = { order: record, ...(after.held ? { held: true } : {}) };
    const event = { type: 'order.expired', at: now, movementId: movementIds[at]!, data } as const;
    feeds.set(workspaceId, [...(feeds.get(workspaceId) ?? []), event]);
  }
  for (const [workspaceId, events] of feeds) await tx.events.append(workspaceId, events);
}

interface ExpirySweepOptions {
  store: Datastore;
  clock: Clock;
  /** Called for each workspace in which an order may have expired, as soon as the transaction has ended. */
  onChange: (workspaceId: number) => void;
  onFailure: (err: unknown) => void;
}

/**
 * Ends every order whose time has come. Any number of nodes may sweep the same database: each order is deleted by one
 * transaction, which releases its units.
 */
export class ExpirySweep {
  readonly #options: ExpirySweepOptions;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;
  #isStopped = false;
  /** The pets that the last sweep skipped. */
  #miscounted: ReadonlySet<number> = new Set();

  constructor(options: ExpirySweepOptions) {
    this.#options = options;
  }

  /** Sweeps now and twice a second. */
  start(): void {
    const sweep = () => {
      this.#sweeping ??= this.sweep()
        .catch(this.#options.onFailure)
        .finally(() => {
          this.#sweeping = undefined;
        });
    };
    sweep();
    this.#timer = setInterval(sweep, SWEEP_MS).unref();
  }

  /** Resolves when no batch is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  /**
   * Ends all orders that are due, batch by batch. Requests are served between two batches. Pets that are miscounted are
   * skipped, and reported when the sweep before did not skip them.
   */
  async sweep(): Promise<void> {
    const { store, clock } = this.#options;
    const miscounted = new Set<number>();
    if (await store.read.dueOrders.exist(clock.now())) {
      while (!this.#isStopped && (await this.#endBatch(clock.now(), miscounted))) {
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    }
    const found = [...miscounted].filter((petId) => !this.#miscounted.has(petId));
    this.#miscounted = miscounted;
    if (found.length > 0) this.#options.onFailure(new Miscounted(found));
  }

  /** Returns whether more orders may be due. Adds the pets that kept it from ending any. */
  async #endBatch(now: number, miscounted: Set<number>): Promise<boolean> {
    // A batch that fails may have been committed, and an engine may run it more than once.
    const workspaceIds = new Set<number>();
    const batch = { limit: BATCH_ORDERS, exceptPets: [...miscounted] };
    try {
      return await this.#options.store.transact(async (tx) => {
        const orders = await tx.dueOrders.take(now, batch);
        for (const { workspaceId } of orders) workspaceIds.add(workspaceId);
        await release(tx, orders, now);
        return orders.length === BATCH_ORDERS;
      });
    } catch (err) {
      if (!(err instanceof Miscounted)) throw err;
      for (const petId of err.petIds) miscounted.add(petId);
      workspaceIds.clear();
      return true;
    } finally {
      for (const workspaceId of workspaceIds) this.#options.onChange(workspaceId);
    }
  }
}
