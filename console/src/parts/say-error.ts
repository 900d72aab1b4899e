import { h } from 'preact';
import { errorText, requestIdOf } from '../api/errors.ts';
import { say } from '../ui/say.ts';
import { RequestLink } from './request-link.tsx';

/** Says in a corner what failed, with the id of the request. It stays until it is closed. */
export function sayError(err: unknown): void {
  const id = requestIdOf(err);
  say(errorText(err), { tone: 'bad', note: id && h(RequestLink, { id }) });
}
