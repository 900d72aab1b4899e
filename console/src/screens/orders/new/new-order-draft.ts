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
}

/** How many lines one request may have. */
export const LINES_MAX = 100;

/** An order of several pets is an order for each, placed together. */
export function ordersOf({ lines, ships, isComplete, holds, ...texts }: NewOrderDraft): NewOrder[] {
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

export interface LineErrors {
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
  // Lines of the same pet share its stock.
  const before = lines.slice(0, lines.indexOf(line) + 1).filter((each) => each.petId === petId);
  const units = before.reduce((sum, each) => sum + (wholeNumber(each.units) ?? 0), 0);
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
