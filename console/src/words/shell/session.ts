import { wordsOf } from '../words-of.ts';

export const sessionWords = wordsOf({
  lead: 'Sign in with an API key of your workspace.',
  key: 'API key',
  keyHint: 'The service prints one when it first starts. You stay signed in for 12 hours.',
  signIn: 'Sign in',
  signingIn: 'Signing in …',
  promise: 'Your key is never stored in this browser or written to a log.',
  mistyped: 'This key is incomplete or mistyped. Check it and try again.',
  unknown: 'This key is invalid, revoked or expired.',
  banned: (wait: string) =>
    `This key is banned for another ${wait} because of too many refused requests.`,
  tooMany: (wait: string) => `Too many attempts. Try again in ${wait}.`,
  over: 'You can sign in again now.',
  expiredTitle: 'Your session has ended',
  expired: 'Sign in again to continue. Your changes are still here.',
  lockedTitle: 'Screen locked',
  locked: 'There was no activity for 30 minutes.',
  unlock: 'Unlock',
});
