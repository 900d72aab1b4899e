import { endSession } from '../../services/sessions.ts';
import { writeOperation } from '../operation.ts';
import { empty } from '../success.ts';

export const deleteSession = writeOperation({
  id: 'deleteSession',
  method: 'DELETE',
  path: '/session',
  tag: 'session',
  scope: 'any',
  servedWhile: ['suspended', 'closing'],
  session: 'ends',
  metering: 'account',
  summary: 'Sign out of the console',
  description:
    'Ends the session of the cookie, removes the cookie and asks the browser to forget what it has stored of the console.',
  events: [],
  audits: ['session.ended'],
  success: empty('The session has ended.'),
  isOffered: ({ isConsoleOpen }) => isConsoleOpen,
  handle: ({ caller, now }, tx) => endSession(tx, { caller, now }),
});
