// The cookie that carries a session. Over https its name begins with __Host-, so that no other host can set it.
// Browsers reject that prefix over plain http, so there the cookie has another name.

import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { SECURE_SESSION_COOKIE, SESSION_COOKIE } from '../contract/openapi.ts';
import { Refusal } from '../domain/errors.ts';
import type { NewCookie } from '../operations/operation.ts';

const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict';
const FOREIGN = new Refusal('missing_api_key', {
  message:
    'The session cookie is accepted only from pages of this origin. Send an API key as `Authorization: Bearer <API_KEY>`.',
});

export class SessionCookies {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The secret in the cookie, a refusal if the cookie is not accepted, or undefined if there is none. */
  find(request: FastifyRequest): string | Refusal | undefined {
    const prefix = `${nameFor(request)}=`;
    const pairs = request.headers.cookie!.split(';').map((pair) => pair.trim());
    const secret = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length);
    return secret !== undefined && !isFromOwnPage(request) ? FOREIGN : secret;
  }

  set(request: FastifyRequest, { secret, maxAgeSeconds }: NewCookie): void {
    if (isHttpsUnseen(request)) {
      this.#log.warn(
        'a session was opened over https, but this service sees http, so its cookie is not Secure; name the proxy in PETSTORE_TRUST_PROXY and let it send X-Forwarded-Proto',
      );
    }
    request.state.headers.push('set-cookie', cookie(request, secret, maxAgeSeconds));
  }

  clear(request: FastifyRequest): void {
    const { headers } = request.state;
    headers.push('set-cookie', cookie(request, '', 0));
    headers.push('clear-site-data', '"cache", "storage"');
  }
}

function nameFor({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? SECURE_SESSION_COOKIE : SESSION_COOKIE;
}

function cookie(request: FastifyRequest, value: string, maxAgeSeconds: number): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${nameFor(request)}=${value}; ${ATTRIBUTES}; Max-Age=${maxAgeSeconds}${secure}`;
}

/** The browser or a proxy that is not trusted says https. */
function isHttpsUnseen({ protocol, headers }: FastifyRequest): boolean {
  if (protocol === 'https') return false;
  return headers.origin?.startsWith('https:') === true || headers['x-forwarded-proto'] === 'https';
}

/**
 * Whether the request comes from a page of this origin. Browsers also send the cookie with requests from
 * other ports and from other hosts of the same site, so the cookie alone proves nothing. `Sec-Fetch-Site` decides where
 * there is one. Over plain http browsers leave it out, except on loopback: there `Origin` has to name this host and port.
 * A page's own reads carry neither header; a write that carries neither is refused.
 */
function isFromOwnPage(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = request.headers;
  if (origin !== undefined) return isOwnOrigin(request, origin);
  return request.method === 'GET' || request.method === 'HEAD';
}

/** An http page does not match this host over https. The reverse is accepted: a proxy may terminate TLS. */
function isOwnOrigin({ host, protocol }: FastifyRequest, origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host.toLowerCase() && !(protocol === 'https' && url.protocol === 'http:');
}
