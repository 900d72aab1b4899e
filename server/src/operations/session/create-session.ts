import { openSession } from '../../services/sessions.ts';
import { writeOperation } from '../operation.ts';
import { exampleSession, Session } from '../schemas/session.ts';
import { created } from '../success.ts';
import { sessionView } from '../views/session.ts';

export const createSession = writeOperation({
  id: 'createSession',
  method: 'POST',
  path: '/session',
  tag: 'session',
  scope: 'any',
  servedWhile: ['suspended', 'closing'],
  session: 'opens',
  metering: 'account',
  summary: 'Sign in to the console',
  description:
    'Opens a session of 12 hours for the key, with its scopes, and sets it as a cookie that scripts cannot read. The session ends when its key expires or is revoked. A key has at most 20 open sessions; opening another one ends the oldest. A replay under an Idempotency-Key sets no cookie. Costs no quota; at most 60 a minute per key.',
  events: [],
  audits: ['session.opened', 'session.ended'],
  success: created(Session, 'The session that was opened; its secret is in the cookie alone.'),
  errors: ['session_not_accepted'],
  example: exampleSession,
  isOffered: ({ isConsoleOpen }) => isConsoleOpen,
  prepare: ({ caller }, { events }) => events.latest(caller.workspaceId),
  handle: async ({ caller, now, prepared, setCookie }, tx) => {
    const opened = await openSession(tx, { caller, now });
    const maxAgeSeconds = Math.floor((opened.key.expiresAt! - now) / 1000);
    setCookie({ secret: opened.secret, maxAgeSeconds });
    return sessionView(opened, prepared);
  },
});
