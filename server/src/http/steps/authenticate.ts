import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import type { Caller } from '../../domain/key.ts';
import type { KeyRing } from '../../services/key-ring.ts';
import type { Step } from './step.ts';

const SCHEME = 'bearer ';
const MISSING = new Refusal('missing_api_key');
const TWO_KEYS = new Refusal('invalid_request', {
  message: 'Authorization and X-API-Key carry two different keys; send one.',
});

/** Identifies the caller. A request without a valid key is refused later, after the limiter has counted it. */
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
  return bearer ?? noBearer(authorization);
}

/** An Authorization header without a usable key. The refusal never repeats what may be a key. */
function noBearer(authorization: string): Refusal {
  const [scheme = ''] = authorization.trim().split(' ');
  const fault = /^bearer$/i.test(scheme)
    ? 'The Bearer token is empty or has spaces in it'
    : authorization.includes(' ') && /^[a-z]{1,20}$/i.test(scheme)
      ? `Authorization has the scheme ${scheme}`
      : 'Authorization has no scheme';
  return new Refusal('invalid_api_key', {
    message: `${fault}. Send the key as \`Authorization: Bearer <API_KEY>\`.`,
  });
}

function bearerOf(authorization: string): string | undefined {
  if (authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const key = authorization.slice(SCHEME.length).trim();
  return key === '' || key.includes(' ') ? undefined : key;
}
