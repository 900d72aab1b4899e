import { wordsOf } from './words-of.ts';

export const secretWords = wordsOf({
  once: 'It is shown only now. Store it where your program reads it; it cannot be shown again.',
  stored: 'I have stored it',
  close: 'Close',
});
