import { count, number, signedNumber } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

/** Counting stock. */
export const countWords = wordsOf({
  lead: 'Count what is on the shelves, compare, and send the differences.',
  what: 'What to count',
  scopes: { all: 'All pets', category: 'A category', search: 'A search' },
  category: 'Category',
  search: 'Words in the name',
  needsCategory: 'Select a category.',
  needsSearch: 'Enter a word.',
  begin: 'Start counting',
  loading: (pets: number, isWaiting: boolean) =>
    `${count(pets, 'pet')}${isWaiting ? ', waiting for the rate limit' : ''} …`,
  noPets: 'No pets found. There is nothing to count.',
  tooMany: (pets: number) =>
    `There are more than ${number(pets)} pets. Count them category by category.`,
  titles: {
    all: 'All pets',
    search: (text: string) => `Pets with “${text}” in the name`,
  },
  scan: 'Scan or find',
  scanPlaceholder: 'Reference, number or name',
  notFound: (text: string) =>
    `No pet in this count has “${text}” as its reference, number or name.`,
  showExpected: 'Show expected counts',
  print: 'Print count sheet',
  list: 'Counts',
  countOf: (name: string) => `Count of ${name}`,
  note: (reference: string, id: number) => `${reference} · pet ${id}`,
  columns: { pet: 'Pet', expected: 'Expected', counted: 'Counted', difference: 'Difference' },
  expected: (units: number) => `expected ${number(units)}`,
  same: 'as expected',
  difference: (units: number) => signedNumber(units),
  progress: (counted: number, all: number) => `${number(counted)} of ${number(all)} counted`,
  differ: (rows: number) => `${number(rows)} ${rows === 1 ? 'differs' : 'differ'}`,
  kept: 'Saved in this browser until you send it or sign out.',
  notKept: 'This browser does not store the count. Send it before you close the page.',
  review: 'Review and send',
  nothingToSend: 'No count differs from what is expected.',
  finish: 'Finish',
  reviewTitle: 'Differences',
  reviewText: (rows: number, uncounted: number) =>
    `${count(rows, 'pet differs', 'pets differ')}. ${
      uncounted === 0
        ? ''
        : `${count(uncounted, 'pet is', 'pets are')} not counted and not changed.`
    }`,
  send: (rows: number) => `Send ${count(rows, 'change')}`,
  sent: (saved: number, refused: number) =>
    `${saved === 0 ? 'No count' : count(saved, 'count')} saved${refused > 0 ? `, ${number(refused)} to check` : ''}.`,
  toCheck: (rows: number) => `${number(rows)} to check`,
  nextToCheck: 'Next to check',
  nextUncounted: 'Next uncounted',
  large: 'Large change. Check the number.',
  conflict: (now: number, changes: string) =>
    `Stock changed while you counted: now ${number(now)} on hand. ${changes === '' ? '' : `${changes}. `}Count again.`,
  stillRight: (counted: number) => `Keep ${number(counted)}`,
  reason: 'Stocktake',
  finishTitle: 'Finish this count?',
  finishText: (rows: number) =>
    rows === 0
      ? 'The list is closed. Everything that was counted is saved.'
      : `${count(rows, 'count is', 'counts are')} not saved yet.`,
  discard: 'Discard and finish',
  goOn: 'Keep counting',
});
