import { h } from 'preact';
import { AuthenticationError, errorText, requestIdOf } from '../api/errors.ts';
import { noteSessionEnd } from '../api/session.ts';
import { say } from '../ui/say.ts';
import { RequestLink } from './request-link.tsx';

/**
 * Says in a corner what failed, with the id of the request. It stays until it is closed. That the session has ended is
 * said by the question for a key, and is over once it is answered.
 */
export function sayError(err: unknown): void {
  noteSessionEnd(err);
  if (err instanceof AuthenticationError) return;
  const id = requestIdOf(err);
  say(errorText(err), { tone: 'bad', note: id && h(RequestLink, { id }) });
}
