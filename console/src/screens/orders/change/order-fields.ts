import type { Order } from '@petstore/client';
import type { ConflictField } from '../../../parts/edit/conflict-fields.ts';
import { dateTime, number } from '../../../ui/format.ts';
import { controlWords } from '../../../words/controls.ts';
import { orderWords as words } from '../../../words/orders.ts';

export interface OrderVersions {
  /** The order as the user opened it. */
  opened: Order;
  theirs: Order;
  /** The order as it would be after the user's change, and its state in words. */
  yours: Order;
  yourState: string;
}

/** What someone else's change and the user's make of an order, field by field. */
export function orderFields({
  opened,
  theirs,
  yours,
  yourState,
}: OrderVersions): Required<ConflictField>[] {
  const field = (name: string, textOf: (order: Order) => string, yourText = textOf(yours)) => {
    return { name, before: textOf(opened), theirs: textOf(theirs), yours: yourText };
  };
  const when = (at: string | undefined) => (at === undefined ? controlWords.none : dateTime(at));
  return [
    field(words.columns.units, ({ quantity = 1 }) => number(quantity)),
    field(words.shipsAt, ({ shipDate }) => when(shipDate)),
    field(words.holdsUntil, ({ expiresAt }) => when(expiresAt)),
    field(
      words.state,
      ({ complete }) => (complete ? words.states.fulfilled : words.states.open),
      yourState,
    ),
  ];
}
