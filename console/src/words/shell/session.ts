import { wordsOf } from '../words-of.ts';

export const sessionWords = wordsOf({
  lead: 'Sign in with an API key of your workspace.',
  key: 'API key',
  keyHint:
    'The first start of the service printed one. It is exchanged for a session of 12 hours and not kept in this browser.',
  signIn: 'Sign in',
  signingIn: 'Signing in …',
  promise: 'The key never appears in an address, a log or this page’s storage.',
  mistyped: 'This is not a complete key: a character is missing or mistyped. Nothing was sent.',
  unknown: 'This key is not valid: it is unknown, revoked or expired.',
  banned: (wait: string) => `This key is banned for another ${wait}: too many refused requests.`,
  tooMany: (wait: string) => `Too many attempts. Try again in ${wait}.`,
  over: 'The wait is over. Sign in again.',
  expiredTitle: 'Your session has ended',
  expired: 'Sign in again to go on. What you typed is still here.',
  lockedTitle: 'Locked',
  locked: 'Nothing happened here for 30 minutes.',
  unlock: 'Unlock',
});
