import type { Differences } from '../datastore/maintenance/ledger-audit.ts';
import { systemClock } from '../lib/clock.ts';
import { reconcile, reconcileAndRepair } from '../services/maintenance/reconcile.ts';
import { onStore } from './on-store.ts';

/** Returns 1 if counts, orders and ledger differ, after the repair if there was one. */
export const reconcileStore = onStore(async ({ store, options, print }) => {
  const isRepair = options.repair === true;
  const { found, left } = await (isRepair
    ? reconcileAndRepair(store, systemClock)
    : reconcile(store));
  const lines = linesOf(found);
  if (lines.length === 0) {
    print({ found, left }, ['every count follows from its orders and its ledger']);
    return 0;
  }
  const remaining = linesOf(left).length;
  const outcome = isRepair
    ? [`repaired, ${remaining} left`, ...left.reserved.map(remedyOf)]
    : ['run it again with --repair to correct the counts and write one ledger row for each pet'];
  print({ found, left }, [...lines, ...outcome]);
  return isRepair && remaining === 0 ? 0 : 1;
});

export function linesOf({ reserved, ledger, links }: Differences): string[] {
  return [
    ...reserved.map(
      (row) => `pet ${row.petId}: ${row.reserved} reserved, open orders hold ${row.openOrders}`,
    ),
    ...ledger.map(
      ({ petId, counted, ledger: end }) =>
        `pet ${petId}: counted ${counted.quantity} with ${counted.reserved} reserved, its ledger ends with ${end.quantity} and ${end.reserved} reserved`,
    ),
    ...links.map(
      (row) => `pet ${row.petId}: ledger row ${row.movementId} does not follow the one before`,
    ),
  ];
}

function remedyOf({ petId, openOrders }: Differences['reserved'][number]): string {
  return `pet ${petId}: its open orders hold more units than are in stock; raise the stock to at least ${openOrders} or cancel orders, then run this again`;
}
