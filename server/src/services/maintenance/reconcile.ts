import type { Datastore, Transaction } from '../../datastore/datastore.ts';
import type { Differences } from '../../datastore/maintenance/ledger-audit.ts';
import type { Clock } from '../../lib/clock.ts';
import { recordAudit } from '../logs/audit.ts';

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
  const pets = [...found.reserved, ...found.ledger, ...found.links];
  for (const pet of new Map(pets.map((each) => [each.petId, each])).values()) {
    await store.transact((tx) => repair(tx, pet, clock.now()));
  }
  const { found: left } = await reconcile(store);
  return { found, left };
}

/** Reads everything again under the lock: what was found before may have changed since. */
async function repair(
  tx: Transaction,
  pet: { workspaceId: number; petId: number },
  now: number,
): Promise<void> {
  const { workspaceId, petId } = pet;
  const { quantity, reserved, held } = await tx.stock.lock(workspaceId, petId);
  const openOrders = await tx.audit.openOrders(pet);
  // Which order to cancel is a decision for people.
  if (openOrders > quantity) return;
  const end = await tx.audit.ledgerEnd(pet);
  const isLedgerRight = end.quantity === quantity && end.reserved === openOrders;
  const isRight = reserved === openOrders && isLedgerRight;
  if (isRight && !(await tx.audit.hasBrokenLink(pet))) return;
  if (reserved !== openOrders) await tx.audit.setReserved(pet, openOrders);
  const after = { quantity, reserved: openOrders, held };
  const step = { petId, before: { ...end, held }, after, cause: 'adjusted' } as const;
  const rows = await tx.stock.insertMovements(workspaceId, [{ ...step, reason: 'reconcile' }], now);
  const data = { inventory: { petId, stock: after }, movement: rows[0]! };
  const event = { type: 'inventory.adjusted', at: now, movementId: rows[0]!.id, data } as const;
  await tx.events.append(workspaceId, [event]);
  const what = { action: 'command.run', target: 'workspace' } as const;
  const run = { command: 'server reconcile --repair', petId };
  await recordAudit(tx, { workspaceId, ...what, after: run, now });
}
