import { wordsOf } from './words-of.ts';

/** A dry run of a write. */
export const rehearsalWords = wordsOf({
  rehearse: 'Rehearse',
  busy: 'Rehearsing …',
  refused: (why: string) => `It would be refused. ${why}`,
});
