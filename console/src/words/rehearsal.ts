import { wordsOf } from './words-of.ts';

/** A dry run of a write. */
export const rehearsalWords = wordsOf({
  rehearse: 'Preview',
  busy: 'Checking …',
  fine: 'This would work. Nothing was changed yet.',
  refused: (why: string) => `This would not go through. ${why}`,
});
