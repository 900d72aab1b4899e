import type { FastifyRequest } from 'fastify';

/**
 * Whether the request comes from a page of this origin. Browsers also send the cookie with requests from
 * other ports and from other hosts of the same site, so the cookie alone proves nothing. `Sec-Fetch-Site` decides where
 * there is one. Over plain http browsers leave it out, except on loopback: there `Origin` has to name this host and port.
 * A page's own reads carry neither header; a write that carries neither is refused.
 */
export function isFromOwnPage(request: FastifyRequest): boolean {
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
