import type { Datastore, Transaction } from '../datastore/datastore.ts';
import type { Differences } from '../datastore/ledger-audit.ts';

export interface Reconciliation {
  found: Differences;
  /** What is left after a repair; the same as found when nothing was repaired. */
  left: Differences;
}

/**
 * Proves that open orders and ledger add up to today's counts. A repair trusts the orders for `reserved` and
 * the count for `quantity`, and writes a correcting row to the ledger; history itself is never edited, so a
 * row that does not follow its predecessor stays visible.
 */
export function reconcile(
  store: Datastore,
  isRepair: boolean,
  now: number,
): Promise<Reconciliation> {
  return store.transact(async (tx) => {
    const found = await tx.ledger.differences();
    if (!isRepair) return { found, left: found };
    for (const { petId, openOrders } of found.reserved) {
      await tx.ledger.setReserved(petId, openOrders);
    }
    await correctLedgers(tx, now);
    return { found, left: await tx.ledger.differences() };
  });
}

async function correctLedgers(tx: Transaction, now: number): Promise<void> {
  const { ledger } = await tx.ledger.differences();
  for (const { petId, counted, ledger: written } of ledger) {
    await tx.ledger.correct(petId, written, counted, now);
  }
}
