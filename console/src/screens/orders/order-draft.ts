import type { Order } from '@petstore/client';
import { wholeNumber } from '../../ui/fields/stepper.tsx';
import { dateTime, number } from '../../ui/format.ts';
import { fromLocalInput, toLocalInput } from '../../ui/local-time.ts';
import { controlWords } from '../../words/controls.ts';
import {
  orderFieldWords as fieldWords,
  orderStepWords,
  orderWords as words,
} from '../../words/orders.ts';
import type { OrderTexts } from './order-fields.tsx';

/** What the fields of an order hold, and what becomes of it. */
export interface OrderDraft extends OrderTexts {
  units: string;
  state: 'open' | 'fulfilled' | 'cancelled';
}

export function draftOf(order: Order): OrderDraft {
  const { quantity = 1, shipDate, expiresAt, complete } = order;
  const { customer = '', reference = '', note = '' } = order;
  return {
    customer,
    reference,
    note,
    units: String(quantity),
    ships: toLocalInput(shipDate),
    holds: toLocalInput(expiresAt),
    state: complete ? 'fulfilled' : 'open',
  };
}

/** The order as the service takes it. Of these, only the fields that differ are sent, so the others keep their seconds. */
export function bodyOf({ units, ships, holds, state, ...texts }: OrderDraft) {
  return {
    customer: texts.customer.trim() || null,
    reference: texts.reference.trim() || null,
    note: texts.note.trim() || null,
    quantity: wholeNumber(units),
    shipDate: fromLocalInput(ships) ?? null,
    expiresAt: fromLocalInput(holds) ?? null,
    complete: state !== 'open',
  };
}

/** The fields in words, for the reader to compare. */
export function textsOf(draft: OrderDraft): Record<string, string> {
  const { units, ships, holds, state } = draft;
  const when = (local: string) => {
    const at = fromLocalInput(local);
    return at === undefined ? controlWords.none : dateTime(at);
  };
  return {
    [words.columns.units]: number(wholeNumber(units) ?? 0),
    [fieldWords.customer]: draft.customer.trim() || controlWords.none,
    [fieldWords.reference]: draft.reference.trim() || controlWords.none,
    [fieldWords.note]: draft.note.trim() || controlWords.none,
    [words.shipsAt]: when(ships),
    [words.holdsUntil]: when(holds),
    [words.state]: state === 'cancelled' ? orderStepWords.cancel.yours : words.states[state],
  };
}

/** How long an order may hold its units. */
export const HELD_MS_MAX = 30 * 86_400_000;

/** Whether an order may be held until then: later than now and within 30 days. */
export function canHoldUntil(holds: string, now: number): boolean {
  const at = Date.parse(fromLocalInput(holds) ?? '');
  return at > now && at <= now + HELD_MS_MAX;
}
