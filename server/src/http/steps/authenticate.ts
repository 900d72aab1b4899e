import type { FastifyRequest } from 'fastify';
import { type ErrorCode, Refusal } from '../../domain/errors.ts';
import type { Caller } from '../../domain/key.ts';
import type { CredentialCache } from '../../services/credential-cache.ts';
import type { SessionCookies } from '../session-cookies.ts';
import type { Step } from './step.ts';

const SCHEME = 'bearer ';
const MISSING = new Refusal('missing_api_key');
const INVALID = new Refusal('invalid_api_key');
const TWO_KEYS = new Refusal('invalid_request', {
  message: 'Authorization and X-API-Key carry two different keys; send one.',
});

/**
 * Identifies the caller. A request without a valid key is refused later, after the limiter has counted it. A session is
 * accepted only from its cookie and a key only from its headers. The cookie is read only if there is no key.
 */
export function authenticate(
  credentials: CredentialCache,
  cookies: SessionCookies | undefined,
): Step {
  return (request) => {
    const { headers } = request;
    const hasKey = headers.authorization !== undefined || headers['x-api-key'] !== undefined;
    const session = hasKey || headers.cookie === undefined ? undefined : cookies?.find(request);
    const isSession = session !== undefined;
    const key = session ?? keyOf(request);
    const found = typeof key === 'string' ? credentials.identify(key) : key;
    if (found instanceof Promise) return found.then((it) => remember(request, it, isSession));
    return remember(request, found, isSession);
  };
}

function remember(
  { state }: FastifyRequest,
  found: Caller | Refusal,
  isSession: boolean,
): undefined {
  if (found instanceof Refusal) state.identityRefusal = isSession ? endedSession(found) : found;
  else if ((found.parentId !== undefined) === isSession) state.caller = found;
  else state.identityRefusal = INVALID;
}

function endedSession(refusal: Refusal): Refusal {
  const message = sessionMessages[refusal.code];
  return message ? new Refusal(refusal.code, { message }) : refusal;
}

const sessionMessages: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: 'The session has ended. Sign in again.',
  expired_api_key: 'The session has expired. Sign in again.',
};

function keyOf({ headers }: FastifyRequest): string | Refusal {
  const { authorization } = headers;
  const plain = headers['x-api-key'] as string | undefined;
  if (authorization === undefined) return plain ?? MISSING;
  const bearer = bearerOf(authorization);
  if (bearer === undefined) return noBearer(authorization, plain !== undefined);
  return plain === undefined || plain === bearer ? bearer : TWO_KEYS;
}

/** An Authorization header without a usable key. The refusal never repeats what may be a key. */
function noBearer(authorization: string, hasPlain: boolean): Refusal {
  const [scheme = ''] = authorization.trim().split(' ');
  const fault = /^bearer$/i.test(scheme)
    ? 'The Bearer token is empty or has spaces in it'
    : authorization.includes(' ') && /^[a-z]{1,20}$/i.test(scheme)
      ? `Authorization has the scheme ${scheme}`
      : 'Authorization has no scheme';
  const way = hasPlain ? 'in X-API-Key alone, or as' : 'as';
  return new Refusal(hasPlain ? 'invalid_request' : 'invalid_api_key', {
    message: `${fault}. Send the key ${way} \`Authorization: Bearer <API_KEY>\`.`,
  });
}

function bearerOf(authorization: string): string | undefined {
  if (authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const key = authorization.slice(SCHEME.length).trim();
  return key === '' || key.includes(' ') ? undefined : key;
}
