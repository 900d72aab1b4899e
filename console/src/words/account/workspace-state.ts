import { wordsOf } from '../words-of.ts';

/** Suspending and closing a workspace, by the operator. */
export const workspaceStateWords = wordsOf({
  title: 'State',
  facts: { since: 'Since', closedBy: 'Closed by', reason: 'Reason', eraseAt: 'Data is deleted on' },
  closers: { owner: 'Owner', operator: 'Operator' },
  filter: 'State',
  anyState: 'All but erased',
  suspend: 'Suspend',
  suspendTitle: (name: string) => `Suspend ${name}`,
  suspendText:
    'Its requests are refused within a second. Webhooks and the expiry of orders pause. Nothing is lost: everything continues when you resume it.',
  reason: 'Reason',
  reasonHint: 'The owner sees it.',
  needsReason: 'Enter a reason.',
  suspended: (name: string) => `${name} suspended.`,
  resume: 'Resume',
  resumed: (name: string) => `${name} resumed.`,
  close: 'Close',
  closeTitle: (name: string) => `Close ${name}`,
  closeText:
    'Until its data is deleted it can be viewed and reopened, but not changed. Only an operator can reopen it.',
  graceDays: 'Days until its data is deleted',
  graceHint: '0 to 365. With 0, deleting begins at once and cannot be undone.',
  needsDays: 'Enter a whole number from 0 to 365.',
  typeName: (name: string) => `Type “${name}” to confirm`,
  needsName: (name: string) => `Enter “${name}” exactly.`,
  closed: (name: string) => `${name} closed.`,
  reopen: 'Reopen',
  reopened: (name: string) => `${name} reopened.`,
});
