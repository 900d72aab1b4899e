import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Finish } from './hooks/finish.ts';
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

export function pairedUp(headers: HeaderList): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) pairs[headers[at]!] = headers[at + 1]!;
  return pairs;
}

export function addVersion(headers: HeaderList): void {
  headers.push('x-api-version', API_VERSION);
}

/** Sends an answer with what the hooks have put on it. */
export type Respond = (
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  more: Readonly<Record<string, string>>,
  body: string,
) => void;

/**
 * All is known of an answer when it is given, so it goes to node:http in one piece instead of header by header
 * through the framework. An answer that cannot be written ends its connection, so that nobody waits for it.
 */
export function responder(finish: Finish, onFault: (err: unknown) => void): Respond {
  return (request, reply, status, more, body) => {
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
    try {
      reply.raw.writeHead(status, headers);
      reply.raw.end(hasBody ? body : undefined);
    } catch (err) {
      onFault(err);
      reply.raw.destroy();
    }
    finish(request, status);
  };
}
