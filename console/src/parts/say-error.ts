import { errorText, requestIdOf } from '../api/errors.ts';
import { say } from '../ui/say.ts';
import { controlWords as words } from '../words/controls.ts';

/** Says in a corner what failed, with the id of the request. It stays until it is closed. */
export function sayError(err: unknown): void {
  const requestId = requestIdOf(err);
  const note = requestId && words.requestId(requestId);
  say(errorText(err), { tone: 'bad', note });
}
