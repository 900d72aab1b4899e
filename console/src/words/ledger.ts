import { count } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

export const ledgerWords = wordsOf({
  lead: 'Every stock change: who made it, why, and the counts before and after.',
  label: 'Stock changes',
  allCauses: 'All causes',
  cause: 'Cause',
  order: 'Sort',
  newestFirst: 'Newest first',
  oldestFirst: 'Oldest first',
  onlyPet: (name: string) => `Only ${name}`,
  columns: {
    when: 'When',
    what: 'What',
    pet: 'Pet',
    onHand: 'On hand',
    reserved: 'Reserved',
    change: 'Change',
    who: 'Key',
  },
  onPage: (rows: number, areAll: boolean) =>
    areAll ? count(rows, 'row') : `${count(rows, 'row')} on this page`,
  noRows: {
    emptyTitle: 'No stock changes yet',
    emptyText:
      'Creating a pet adds the first row. Every order, count and adjustment adds another. Start with a category and a pet:',
    noMatchTitle: 'No matches',
    noMatchText: 'No stock change matches these filters.',
  },
});
