// One line of a count: what is expected, what was counted, and what became of it.

import type { Movement, StockBatchRow } from '@petstore/client';
import { refusalText } from '../../api/errors.ts';
import { signedNumber } from '../../ui/format.ts';
import { controlWords } from '../../words/controls.ts';
import { countWords as words } from '../../words/count.ts';
import { movementWords } from '../../words/movements.ts';

export interface CountRow {
  petId: number;
  name: string;
  reference?: string | undefined;
  /** What was on hand when it was counted. */
  expected: number;
  /** What was typed. */
  counted: string;
  /** Why it was not saved. It is not sent again before it was looked at. */
  problem?: string | undefined;
}

/** How many items one request may have. */
const BATCH_MAX = 1_000;
/** A longer text in the field of a count is a scanned reference. */
const DIGITS_MAX = 9;

/** The number that a text means; undefined if it means none. */
export function unitsOf(text: string): number | undefined {
  const digits = text.trim();
  return /^\d+$/.test(digits) && digits.length <= DIGITS_MAX ? Number(digits) : undefined;
}

/** By how many units the count differs; undefined until it is counted. */
export function differenceOf({ counted, expected }: CountRow): number | undefined {
  const units = unitsOf(counted);
  return units === undefined ? undefined : units - expected;
}

/** Whether what was typed is no number. */
export const isWrong = ({ counted }: CountRow) =>
  counted.trim() !== '' && unitsOf(counted) === undefined;

export const isDifferent = (row: CountRow) => (differenceOf(row) ?? 0) !== 0;

/** Whether it can be sent now. */
export const isReady = (row: CountRow) => isDifferent(row) && row.problem === undefined;

/** The place of the pet that a scanner or a person means: by its reference, its number or its name. */
export function findRow(rows: readonly CountRow[], text: string): number {
  const wanted = text.trim().toLowerCase();
  const by = (textOf: (row: CountRow) => string) =>
    rows.findIndex((row) => textOf(row).toLowerCase() === wanted);
  const places = [
    by(({ reference = '' }) => reference),
    by(({ petId }) => String(petId)),
    by(({ name }) => name),
  ];
  const begins = rows.findIndex(({ name }) => name.toLowerCase().startsWith(wanted));
  return wanted === '' ? -1 : ([...places, begins].find((place) => place >= 0) ?? -1);
}

/** A shorter reference may be a count. */
const SCANNED_MIN = 6;

/** The count and the reference that a scanner typed behind it, before Enter; undefined if there is none. */
export function scannedIn(
  rows: readonly CountRow[],
  text: string,
): { counted: string; reference: string } | undefined {
  const typed = text.trim();
  const isCount = (counted: string) => counted === '' || unitsOf(counted) !== undefined;
  const found = rows
    .map(({ reference = '' }) => ({ counted: typed.slice(0, -reference.length), reference }))
    .filter(
      ({ counted, reference }) =>
        reference.length >= SCANNED_MIN &&
        typed.toLowerCase() === `${counted}${reference}`.toLowerCase() &&
        isCount(counted),
    );
  return found.sort((a, b) => b.reference.length - a.reference.length)[0];
}

/** The next request. A sale meanwhile is refused for its row alone. */
export function batchOf(rows: readonly CountRow[]) {
  const items = rows
    .filter(isReady)
    .slice(0, BATCH_MAX)
    .map(({ petId, expected, counted }) => {
      return { petId, quantity: unitsOf(counted)!, expected, reason: words.reason };
    });
  return { mode: 'each' as const, items };
}

/**
 * The row after the service has answered to the count that was sent. An answer that was lost is no conflict: the count is
 * there already.
 */
export function settled(row: CountRow, counted: number, { error }: StockBatchRow): CountRow {
  if (!error) return { ...row, expected: counted, problem: undefined };
  const { quantity, movements = [] } = (error.details ?? {}) as Partial<Conflict>;
  if (error.code !== 'stock_changed' || quantity === undefined) {
    return { ...row, problem: refusalText(error) };
  }
  if (quantity === counted) return { ...row, expected: counted, problem: undefined };
  const changes = movements.map(changeText).join(', ');
  return { ...row, expected: quantity, problem: words.conflict(quantity, changes) };
}

interface Conflict {
  quantity: number;
  /** What changed the stock since it was read, the latest first. */
  movements: Pick<Movement, 'cause' | 'orderId' | 'quantityBefore' | 'quantityAfter'>[];
}

function changeText(movement: Conflict['movements'][number]): string {
  const { cause, orderId, quantityBefore, quantityAfter } = movement;
  const what = movementWords.causes[cause] ?? cause;
  const order = orderId === undefined ? undefined : movementWords.order(orderId);
  const whose = controlWords.dotted(what, order);
  return `${whose}: ${signedNumber(quantityAfter - quantityBefore)}`;
}

/**
 * Where the user goes on after a row: to the next one that was not saved, else to the next one that is not counted; -1 if
 * there is none.
 */
export function nextOpen(rows: readonly CountRow[], after = -1): number {
  const places = rows.map((_, step) => (after + 1 + step) % rows.length);
  const find = (isOpen: (row: CountRow) => boolean) => places.find((place) => isOpen(rows[place]!));
  const isUncounted = ({ counted }: CountRow) => unitsOf(counted) === undefined;
  return find(({ problem }) => problem !== undefined) ?? find(isUncounted) ?? -1;
}
