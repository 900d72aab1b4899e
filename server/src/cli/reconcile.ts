import type { Differences } from '../datastore/ledger-audit.ts';
import { reconcile } from '../services/reconcile.ts';
import type { Command } from './command.ts';

/** Exits with 1 if a count does not add up, or could not be repaired. */
export async function reconcileCommand({ store, options, print }: Command): Promise<number> {
  const { found, left } = await reconcile(store, options.repair === true, Date.now());
  const lines = linesOf(found);
  if (lines.length === 0) {
    print({ found, left }, ['every count follows from its orders and its ledger']);
    return 0;
  }
  // A broken link is history: the ledger is never edited, so it stays after a repair.
  const unrepaired = [...left.reserved, ...left.ledger];
  const outcome = options.repair
    ? [`repaired, ${unrepaired.length} left`]
    : ['run it again with --repair to write correcting rows'];
  print({ found, left }, [...lines, ...outcome]);
  return options.repair && unrepaired.length === 0 ? 0 : 1;
}

function linesOf({ reserved, ledger, links }: Differences): string[] {
  return [
    ...reserved.map(
      (row) => `pet ${row.petId}: ${row.reserved} reserved, open orders hold ${row.openOrders}`,
    ),
    ...ledger.map(
      ({ petId, counted, ledger: sums }) =>
        `pet ${petId}: counted ${counted.quantity} with ${counted.reserved} reserved, its ledger says ${sums.quantity} with ${sums.reserved}`,
    ),
    ...links.map(
      (row) => `pet ${row.petId}: ledger row ${row.movementId} does not follow the one before`,
    ),
  ];
}
