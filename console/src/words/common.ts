import { count, duration, number } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

export const commonWords = wordsOf({
  product: 'Pet Store console',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  saving: 'Saving …',
  refresh: 'Refresh',
  retry: 'Try again',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'This browser does not let the page copy. Select the text and copy it yourself.',
  optional: '(optional)',
  inBrackets: (text: string) => `(${text})`,
  none: 'none',
  back: 'Back',
  next: 'Next',
  first: 'First page',
  clearFilters: 'Clear the filters',
  exportCsv: 'Export CSV',
  exporting: (rows: number, isWaiting: boolean) =>
    `${count(rows, 'row')}${isWaiting ? ', waits for the limit' : ''} …`,
  asCurl: 'As curl',
  asCurlHint: 'The same request from a terminal. Put your key into PETSTORE_API_KEY.',
  showTable: 'Show as table',
  showChart: 'Show as chart',
  atLeast: (rows: number) => `${number(rows)}+`,
  loading: 'Loading',
  asOf: (time: string) => `As of ${time}`,
  updated: (ago: string) => `updated ${ago}`,
  requestId: (id: string) => `Request ${id}`,
  notAllowedTitle: 'Your key may not do this',
  notAllowed: (scope: string) => `It needs the scope “${scope}”. Sign in with a key that has it.`,
  needsScope: (scope: string) => `Needs the scope “${scope}”`,
  failedTitle: 'This could not be loaded',
  waitingTitle: 'Waiting for the limit',
  waiting: 'Nothing is sent until the limit lets it through. This part loads then.',
  notFoundTitle: 'There is no such page',
  notFound: 'The address may be mistyped, or the record is gone.',
  toOverview: 'Go to the overview',
  leaveTitle: 'Leave without saving?',
  leave: 'Leave',
  stay: 'Stay',
  leaveText: 'What is open on this screen would be lost.',
  outdatedTitle: 'The console was updated',
  outdated:
    'This page is of an older version, and the rest of it is no longer there. It is loaded anew as soon as the service answers.',
  reload: 'Load the page anew',
  brokenTitle: 'This part stopped working',
  kept: (wait: string) => `Kept. It is sent in ${wait}.`,
  refused: (seconds: number) =>
    `A limit is used up, so nothing was changed. Try again in ${duration(seconds * 1000)}.`,
  conflictTitle: 'It changed while you had it open.',
  sameNow: 'Each field is now as you want it.',
  theirs: 'Now',
  yours: 'Yours',
  applyAgain: 'Apply again',
  letGo: 'Let go',
});

/** What an error of the service means to the reader. An unknown code shows the service's own message. */
export const errorWords: Record<string, (details: Record<string, unknown>) => string> = wordsOf({
  insufficient_stock: ({ available }) =>
    `Sold out a moment ago: ${count(Number(available ?? 0), 'unit')} can still be sold. Nothing was changed.`,
  below_reserved: ({ reserved }) =>
    `Open orders hold ${count(Number(reserved ?? 0), 'unit')}, so the count cannot go below that. Nothing was changed.`,
  pet_on_hold: () => 'This pet is on hold and cannot be ordered. Lift the hold first.',
  order_complete: () =>
    'This order is fulfilled already, so it cannot change. Nothing was changed.',
  pet_has_open_orders: ({ reserved }) =>
    `Open orders hold ${count(Number(reserved ?? 0), 'unit')} of it. Fulfil or cancel them first. Nothing was changed.`,
  category_in_use: () =>
    'This category still has pets. Move them to another category or delete them first. Nothing was changed.',
  category_name_taken: () =>
    'Another category has this name already; upper and lower case make no difference. Choose another name.',
  invalid_status_change: ({ from }) =>
    from === 'sold'
      ? 'None is on hand, so it cannot be put on hold. Add stock first.'
      : 'Open orders hold all its units: there is no hold to lift. Add stock or cancel orders.',
  not_found: () => 'It is no longer there. Someone may have deleted it.',
  precondition_failed: () => 'It changed while you had it open.',
  last_manage_key: () =>
    'This is the last key that may manage the workspace, so it cannot be revoked. Create another one first.',
  key_already_rotated: () =>
    'This key was rotated already. Rotate the key that took its place, or revoke this one.',
  insufficient_scope: ({ scope }) => `Your key lacks the scope “${scope}”. Nothing was changed.`,
  replay_required: () =>
    'The events where it stopped are no longer kept. Choose with Replay where to go on, then enable it.',
  cursor_unknown: () => 'The feed has no such event. Nothing was changed.',
  events_expired: () => 'The events behind this place are no longer kept.',
  webhook_limit_reached: () =>
    'The workspace has as many webhooks as it may have. Delete one first.',
  connection_failed: () => 'The service does not answer. It may be restarting; nothing was lost.',
  timeout: () => 'The service took too long to answer.',
  unavailable: () => 'The service is busy or restarting. Try again in a few seconds.',
  key_banned: () => 'This session is banned for now: too many refused requests.',
});
