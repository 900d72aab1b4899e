import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_VERSION } from './version.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** On every answer, whatever it is; the docs page alone loosens the policy for its own script. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

const SECURITY = Object.entries(securityHeaders).flat();

/** The headers of an answer so far: name and value in turn, as node:http takes them without a copy. */
export type HeaderList = string[];

export function firstHeaders(requestId: string): HeaderList {
  return [...SECURITY, 'x-request-id', requestId];
}

export function addVersion(headers: HeaderList): void {
  headers.push('x-api-version', API_VERSION);
}

export function addHeaders(headers: HeaderList, more: Readonly<Record<string, string>>): void {
  for (const name in more) headers.push(name, more[name]!);
}

/**
 * Sends an answer with what the hooks have put on it. All is known by now, so it goes to node:http in one
 * piece instead of header by header through the framework.
 */
export function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  more: Readonly<Record<string, string>>,
  body: string,
): FastifyReply {
  const { headers, marks } = request.state;
  if (marks !== undefined) {
    const next = more.link === undefined ? '' : `${more.link}, `;
    headers.push('link', next + marks);
  }
  for (const name in more) {
    if (name !== 'link' || marks === undefined) headers.push(name, more[name]!);
  }
  const hasBody = status !== 204 && status !== 304;
  if (hasBody) headers.push('content-length', String(Buffer.byteLength(body)));
  reply.hijack();
  reply.raw.writeHead(status, headers);
  reply.raw.end(hasBody ? body : undefined);
  return reply;
}
