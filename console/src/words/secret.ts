import { wordsOf } from './words-of.ts';

export const secretWords = wordsOf({
  once: 'Copy it now. For your security, it will not be shown again.',
  stored: 'I have stored it',
  close: 'Close',
});
