import { getSession as get } from '../../services/sessions.ts';
import { readOperation } from '../operation.ts';
import { exampleSession, Session } from '../schemas/session.ts';
import { value } from '../success.ts';
import { sessionView } from '../views/session.ts';

export const getSession = readOperation({
  id: 'getSession',
  method: 'GET',
  path: '/session',
  tag: 'session',
  scope: 'any',
  servedWhile: ['suspended', 'closing'],
  session: 'reads',
  metering: 'account',
  summary: 'Get the session of the cookie',
  description: 'Returns 401 without a session. Costs no quota; at most 60 a minute per session.',
  success: value(Session, 'The session.'),
  example: exampleSession,
  isOffered: ({ isConsoleOpen }) => isConsoleOpen,
  handle: async ({ caller, now }, store, { events }) => {
    const [session, cursor] = await Promise.all([
      get(store, { caller, now }),
      events.latest(caller.workspaceId),
    ]);
    return sessionView(session, cursor);
  },
});
