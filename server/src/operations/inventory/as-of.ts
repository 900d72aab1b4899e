import { invalidField } from '../../domain/errors.ts';
import { instant } from '../parameters.ts';

/** Transactions of the last seconds may not be committed yet, so a response about them could change. */
const SETTLED_AFTER_SECONDS = 5;

export const asOf = instant(
  `The stock as the ledger had it then, at least ${SETTLED_AFTER_SECONDS} seconds ago. ` +
    'Pets created later are left out; pets deleted since are included. Holds are not recorded.',
);

export function refuseRecent({ asOf }: { asOf?: number }, now: number): void {
  if (asOf === undefined || asOf <= now - SETTLED_AFTER_SECONDS * 1_000) return;
  throw invalidField('asOf', `must be at least ${SETTLED_AFTER_SECONDS} seconds in the past`);
}
