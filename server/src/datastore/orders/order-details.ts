// What a shop notes about an order, as its row has it. Most orders have none of it, and cost nothing for it.

import type { OrderDetails } from '../../domain/order.ts';
import { wordsOf } from '../../domain/words.ts';
import type { Value } from '../runner.ts';
import { WordIndex, wordList } from '../search/words.ts';
import { jsonText } from '../table.ts';

export const DETAIL_COLUMNS = 'reference, customer, note, metadata, words, customer_words';
/** Where the words are among the values. */
export const WORDS_AT = 4;
const NO_DETAILS: readonly null[] = Array<null>(6).fill(null);

/** Searched by the words of the customer and of the reference. */
export const orderWords = new WordIndex({
  table: 'orders',
  index: 'order_words',
  column: 'words',
});
/** Searched by the words of the customer alone. The index has more, and the column decides. */
export const customerWords = new WordIndex({
  table: 'orders',
  index: 'order_words',
  column: 'customer_words',
});

export function hasDetails(order: OrderDetails): boolean {
  return hasWords(order) || order.note !== undefined || order.metadata !== undefined;
}

export function hasWords({ reference, customer }: OrderDetails): boolean {
  return reference !== undefined || customer !== undefined;
}

/** The values of the detail columns. */
export function detailValues(order: OrderDetails): readonly Value[] {
  if (!hasDetails(order)) return NO_DETAILS;
  const { reference, customer, note = null, metadata } = order;
  const texts = [customer, reference].filter((text) => text !== undefined);
  const words = [...new Set(texts.flatMap(wordsOf))];
  return [
    reference ?? null,
    customer ?? null,
    note,
    metadata && Object.keys(metadata).length > 0 ? jsonText(metadata)! : null,
    words.length > 0 ? JSON.stringify(words) : null,
    customer === undefined ? null : wordList(customer),
  ];
}
