import type { Datastore, Transaction } from '../../datastore/datastore.ts';
import type { Differences } from '../../datastore/ledger/ledger-audit.ts';
import type { Clock } from '../../lib/clock.ts';

interface Reconciliation {
  found: Differences;
  /** What is left after a repair; the same as `found` when nothing was repaired. */
  left: Differences;
}

/**
 * Compares the counts of all pets with their open orders and their ledgers. Changes nothing, and holds no lock: on
 * SQLite a service could not write during the scan.
 */
export async function reconcile(store: Datastore): Promise<Reconciliation> {
  const found = await store.read.audit.differences();
  return { found, left: found };
}

/**
 * Repairs pet by pet, each in a transaction of its own that holds the row lock of the pet, so that nodes can serve
 * meanwhile. The orders decide what is reserved, the count decides what is in stock, and one correcting row makes
 * the ledger end with both. History is never edited: a gap in a ledger stays readable, and the correcting row after it
 * confirms the counts.
 */
export async function reconcileAndRepair(store: Datastore, clock: Clock): Promise<Reconciliation> {
  const { found } = await reconcile(store);
  const petIds = [...found.reserved, ...found.ledger, ...found.links].map(({ petId }) => petId);
  for (const petId of new Set(petIds)) {
    // A repair is not stamped earlier than a row that a node has written since the last one.
    const at = Math.max(clock.now(), await store.read.stockHistory.lastStamp());
    await store.transact((tx) => repair(tx, petId, at));
  }
  const { found: left } = await reconcile(store);
  return { found, left };
}

/** Reads everything again under the lock: what was found before may have changed since. */
async function repair(tx: Transaction, petId: number, now: number): Promise<void> {
  const { quantity, reserved } = await tx.inventory.lockStock(petId);
  const openOrders = await tx.audit.openOrders(petId);
  // Which order to cancel is a decision for people.
  if (openOrders > quantity) return;
  const from = await tx.audit.ledgerEnd(petId);
  const to = { quantity, reserved: openOrders };
  const isLedgerRight = from.quantity === quantity && from.reserved === openOrders;
  const isRight = reserved === openOrders && isLedgerRight;
  if (isRight && !(await tx.audit.hasBrokenLink(petId))) return;
  if (reserved !== openOrders) await tx.audit.setReserved(petId, openOrders);
  const row = await tx.audit.correct(petId, { from, to, at: now });
  const data = row.isHeld ? { held: true } : {};
  const event = { type: 'inventory.adjusted', at: now, movementId: row.movementId, data } as const;
  await tx.events.append(row.workspaceId, [event]);
}
