import type { InventoryItem, NewOrder } from '@petstore/client';
import { wholeNumber } from '../../../ui/fields/stepper.tsx';
import { fromLocalInput } from '../../../ui/local-time.ts';
import { orderFieldWords as fieldWords, newOrderWords as words } from '../../../words/orders.ts';
import { isHeld } from '../../inventory/query.ts';
import { canHoldUntil } from '../order-draft.ts';
import type { OrderTexts } from '../order-fields.tsx';

/** A pet of the order. */
export interface NewOrderLine {
  /** Its own among the lines of this form. */
  key: number;
  petId: number | undefined;
  units: string;
}

/** What the fields of the form hold. */
export interface NewOrderDraft extends OrderTexts {
  lines: readonly NewOrderLine[];
  isComplete: boolean;
  /** Keeps several pets together if the user gives no reference. */
  ownReference: string;
}

/** How many lines one request may have. */
export const LINES_MAX = 100;

/** Letters and digits that are not taken for one another when they are read aloud or from paper. */
const LETTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A reference such as "K7Q2-9FXM", which no other order is likely to have. */
export function newReference(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(8));
  const text = [...numbers].map((each) => LETTERS[each % LETTERS.length]).join('');
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}

/** An order of several pets is an order for each, placed together. They share a reference, which makes them one. */
export function ordersOf(draft: NewOrderDraft): NewOrder[] {
  const { lines, ships, isComplete, holds, customer, note } = draft;
  const reference = draft.reference.trim() || (lines.length > 1 ? draft.ownReference : '');
  const texts = { customer, reference, note };
  const given = Object.entries(texts).filter(([, text]) => text.trim() !== '');
  const shipDate = fromLocalInput(ships);
  const expiresAt = isComplete ? undefined : fromLocalInput(holds);
  return lines.map(({ petId, units }) => ({
    petId: petId ?? 0,
    quantity: wholeNumber(units) ?? 1,
    shipDate,
    expiresAt,
    ...Object.fromEntries(given),
    ...(isComplete && { complete: true }),
  }));
}

interface LineErrors {
  petId?: string | undefined;
  units?: string | undefined;
  /** Whether the pet has too few units. */
  isShort?: boolean;
}

export interface LineStock {
  /** The stock as it is now, and as it was when the pet was chosen, by pet. */
  now: ReadonlyMap<number, InventoryItem>;
  first: ReadonlyMap<number, InventoryItem>;
}

/** The units of a pet that this line and those before it want together: lines of the same pet share its stock. */
export function unitsUpTo(line: NewOrderLine, lines: readonly NewOrderLine[]): number {
  const before = lines.slice(0, lines.indexOf(line) + 1);
  const same = before.filter(({ petId }) => petId === line.petId);
  return same.reduce((sum, { units }) => sum + (wholeNumber(units) ?? 0), 0);
}

/** What is wrong with a line, as far as the page can know. The service decides. */
export function lineErrors(
  line: NewOrderLine,
  lines: readonly NewOrderLine[],
  stock: LineStock,
): LineErrors {
  const { petId } = line;
  if (petId === undefined) return { petId: words.needsPet, units: unitsError(line) };
  const item = stock.now.get(petId);
  if (item && isHeld(item)) return { petId: words.onHold };
  const error = unitsError(line);
  if (error !== undefined || !item) return { units: error };
  const units = unitsUpTo(line, lines);
  if (units <= item.available) return {};
  const wasEnough = units <= (stock.first.get(petId)?.available ?? 0);
  const text = (wasEnough ? words.soldMeanwhile : words.onlyLeft)(item.available);
  return { units: text, isShort: true };
}

const unitsError = ({ units }: NewOrderLine) =>
  wholeNumber(units) === undefined ? fieldWords.needsUnits : undefined;

/** What is wrong with the rest of the form. */
export function holdsError({ holds, isComplete }: NewOrderDraft, now: number): string | undefined {
  const isHolding = !isComplete && holds !== '';
  return isHolding && !canHoldUntil(holds, now) ? fieldWords.holdsPast : undefined;
}
