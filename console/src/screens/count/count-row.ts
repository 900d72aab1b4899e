// One line of a count: what is expected, what was counted, and what became of it.

import type { StockBatch, StockBatchRow } from '@petstore/client';
import { countWords as words } from '../../words/count.ts';

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
export const BATCH_MAX = 1_000;
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

/** The next request. A sale meanwhile is refused for its row alone. */
export function batchOf(rows: readonly CountRow[]): StockBatch & { mode: 'each' } {
  const items = rows
    .filter(isReady)
    .slice(0, BATCH_MAX)
    .map(({ petId, expected, counted }) => {
      return { petId, quantity: unitsOf(counted)!, expected, reason: words.reason };
    });
  return { mode: 'each', items };
}

/** The row after the service has answered. An answer that was lost is no conflict: the count is there already. */
export function settled(row: CountRow, { error }: StockBatchRow): CountRow {
  const counted = unitsOf(row.counted)!;
  if (!error) return { ...row, expected: counted, problem: undefined };
  const { quantity } = (error.details ?? {}) as { quantity?: number };
  if (error.code !== 'stock_changed' || quantity === undefined) {
    return { ...row, problem: error.message };
  }
  if (quantity === counted) return { ...row, expected: counted, problem: undefined };
  return { ...row, expected: quantity, problem: words.conflict(quantity) };
}
