import type { Order } from '@petstore/client';
import type { ConflictField } from '../../../parts/conflict-fields.ts';
import { dateTime, number } from '../../../ui/format.ts';
import { commonWords } from '../../../words/common.ts';
import { orderWords as words } from '../../../words/orders.ts';

/** What someone else's change and the user's make of an order, field by field. */
export function orderFields(theirs: Order, yours: Order, yourState: string): ConflictField[] {
  const when = (at: string | undefined) => (at === undefined ? commonWords.none : dateTime(at));
  return [
    {
      name: words.columns.units,
      theirs: number(theirs.quantity ?? 1),
      yours: number(yours.quantity ?? 1),
    },
    { name: words.shipsAt, theirs: when(theirs.shipDate), yours: when(yours.shipDate) },
    { name: words.holdsUntil, theirs: when(theirs.expiresAt), yours: when(yours.expiresAt) },
    {
      name: words.state,
      theirs: theirs.complete ? words.states.fulfilled : words.states.open,
      yours: yourState,
    },
  ];
}
