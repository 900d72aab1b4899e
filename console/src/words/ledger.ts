import { count } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

export const ledgerWords = wordsOf({
  lead: 'Every change of stock: who made it, why, and the counts before and after.',
  label: 'Movements of stock',
  allCauses: 'All causes',
  cause: 'Cause',
  key: 'Key',
  allKeys: 'All keys',
  from: 'From',
  to: 'Until',
  onlyPet: (name: string) => `Only ${name}`,
  columns: {
    when: 'When',
    what: 'What',
    pet: 'Pet',
    onHand: 'On hand',
    reserved: 'Reserved',
    who: 'Key',
  },
  onPage: (rows: number) => `${count(rows, 'row')} on this page`,
  noRows: {
    emptyTitle: 'Nothing has moved yet',
    emptyText:
      'Creating a pet writes the first row. Every order, count and adjustment adds one. Begin with a category and a pet:',
    noMatchTitle: 'No row matches',
    noMatchText: 'No movement fits all of these filters.',
  },
});
