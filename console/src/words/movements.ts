import type { Movement } from '@petstore/client';
import { number, signedNumber } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

/** The ledger's causes and changes in words. */
export const movementWords = wordsOf({
  causes: {
    created: 'Created',
    set: 'Counted',
    adjusted: 'Adjusted',
    reserved: 'Reserved',
    released: 'Released',
    fulfilled: 'Fulfilled',
    sold: 'Sold',
  } satisfies Record<Movement['cause'], string> as Record<string, string>,
  order: (id: number) => `Order ${id}`,
  onHand: (delta: number) => `${signedNumber(delta)} on hand`,
  reserved: (delta: number) => `${signedNumber(delta)} reserved`,
  unchanged: 'no change',
  fromTo: (before: number, after: number) => `${number(before)}\u00a0→ ${number(after)}`,
  reservedFromTo: (before: number, after: number) =>
    `reserved ${number(before)}\u00a0→ ${number(after)}`,
  thisConsole: 'this console',
  service: 'the service',
  pet: (id: number) => `Pet ${id}`,
});
