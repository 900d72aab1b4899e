import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import type { Caller } from '../../domain/key.ts';
import type { KeyRing } from '../../services/key-ring.ts';
import type { Step } from './step.ts';

const MISSING = new Refusal('missing_api_key');
const TWO_KEYS = new Refusal('invalid_request', {
  message: 'Authorization and X-API-Key carry two different keys; send one.',
});

/** Finds out whose request it is. Who is not known is refused only after the limiter has counted it. */
export function authenticate(keyRing: KeyRing): Step {
  return (request) => {
    const key = keyOf(request);
    const found = typeof key === 'string' ? keyRing.identify(key) : key;
    if (found instanceof Promise) return found.then((caller) => remember(request, caller));
    return remember(request, found);
  };
}

function remember(request: FastifyRequest, found: Caller | Refusal): undefined {
  if (found instanceof Refusal) request.state.identityRefusal = found;
  else request.state.caller = found;
}

function keyOf({ headers }: FastifyRequest): string | Refusal {
  const { authorization } = headers;
  const plain = headers['x-api-key'] as string | undefined;
  if (authorization === undefined) return plain ?? MISSING;
  const bearer = bearerOf(authorization);
  if (plain !== undefined && plain !== bearer) return TWO_KEYS;
  return bearer ?? new Refusal('invalid_api_key');
}

const USUAL = 'Bearer psk_';

/** Nearly everyone writes it in one way, which needs no closer look: what follows is looked up as it stands. */
function bearerOf(authorization: string): string | undefined {
  if (authorization.startsWith(USUAL) && !authorization.includes(' ', USUAL.length)) {
    return authorization.slice('Bearer '.length);
  }
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1];
}
