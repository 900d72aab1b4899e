import type { Order } from '@petstore/client';
import { wholeNumber } from '../../ui/fields/stepper.tsx';
import { dateTime, number } from '../../ui/format.ts';
import { fromLocalInput, toLocalInput } from '../../ui/local-time.ts';
import { controlWords } from '../../words/controls.ts';
import { orderStepWords, orderWords as words } from '../../words/orders.ts';

/** What the fields of an order hold, and what becomes of it. */
export interface OrderDraft {
  units: string;
  ships: string;
  holds: string;
  state: 'open' | 'fulfilled' | 'cancelled';
}

export function draftOf({ quantity = 1, shipDate, expiresAt, complete }: Order): OrderDraft {
  return {
    units: String(quantity),
    ships: toLocalInput(shipDate),
    holds: toLocalInput(expiresAt),
    state: complete ? 'fulfilled' : 'open',
  };
}

/** The order as the service takes it. Of these, only the fields that differ are sent, so the others keep their seconds. */
export function bodyOf({ units, ships, holds, state }: OrderDraft) {
  return {
    quantity: wholeNumber(units),
    shipDate: fromLocalInput(ships) ?? null,
    expiresAt: fromLocalInput(holds) ?? null,
    complete: state !== 'open',
  };
}

/** The fields in words, for the reader to compare. */
export function textsOf({ units, ships, holds, state }: OrderDraft): Record<string, string> {
  const when = (local: string) => {
    const at = fromLocalInput(local);
    return at === undefined ? controlWords.none : dateTime(at);
  };
  return {
    [words.columns.units]: number(wholeNumber(units) ?? 0),
    [words.shipsAt]: when(ships),
    [words.holdsUntil]: when(holds),
    [words.state]: state === 'cancelled' ? orderStepWords.cancel.yours : words.states[state],
  };
}

const HELD_MS_MAX = 30 * 86_400_000;

/** Whether an order may be held until then: later than now and within 30 days. */
export function canHoldUntil(holds: string, now: number): boolean {
  const at = Date.parse(fromLocalInput(holds) ?? '');
  return at > now && at <= now + HELD_MS_MAX;
}
