import { wordsOf } from './words-of.ts';

/** A dry run of a write. */
export const rehearsalWords = wordsOf({
  rehearse: 'Preview',
  busy: 'Checking …',
  refused: (why: string) => `This would not go through. ${why}`,
});
