import { wordsOf } from '../words-of.ts';

/** A workspace that is suspended or closing. */
export const standingWords = wordsOf({
  closingTitle: (name: string, when: string) =>
    `${name} is closing. Its data is deleted on ${when}.`,
  closingText: 'You can view and download everything until then. Nothing can be changed.',
  closingReason: (reason: string) => `Reason: ${reason}`,
  byOperator: 'Only the operator of this service can reopen it.',
  reopen: 'Reopen',
  reopened: 'Workspace reopened.',
  suspendedTitle: (name: string) => `${name} is suspended`,
  suspendedSince: (when: string) => `Since ${when}, by the operator of this service.`,
  suspendedReason: 'Reason',
  suspendedText:
    'Contact the operator to have it resumed. Nothing is lost: stock, orders and webhooks continue where they stopped.',
  checkAgain: 'Check again',
});
