import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_VERSION } from '../../contract/version.ts';
import type { RequestState } from '../request/request-state.ts';
import type { Finish } from '../steps/finish-request.ts';
import type { HttpResponse } from './response.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** On every answer, whatever it is; the docs page alone loosens the policy for its own script. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** What no header may hold: it would end the line, or is no text. */
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/;

/** The value, if it can stand in a header. */
export function fitting(value: string, name: string): string {
  if (UNFIT.test(value)) throw new TypeError(`the header ${name} cannot be sent`);
  return value;
}

/** A header as it is sent. */
export function headerLine(name: string, value: string): string {
  return `${name}: ${fitting(value, name)}\r\n`;
}

export function headerLines(headers: Readonly<Record<string, string>>): string {
  let lines = '';
  for (const name in headers) lines += headerLine(name, headers[name]!);
  return lines;
}

export function pairedUp(lines: string): Record<string, string> {
  const pairs = lines.split('\r\n').slice(0, -1);
  return Object.fromEntries(pairs.map((line) => line.split(/: (.*)/, 2) as [string, string]));
}

const SECURITY_LINES = headerLines(securityHeaders);
export const VERSION_LINE = headerLine('x-api-version', API_VERSION);

/** The id is one that was looked at, or one of our own. */
export function firstLines(requestId: string): string {
  return `${SECURITY_LINES}x-request-id: ${requestId}\r\n`;
}

/** An answer that can be sent any number of times: what can be made of it once is made. */
export interface Prepared {
  status: number;
  /** Its own headers, without the links. */
  lines: string;
  link: string | undefined;
  body: string;
  length: number;
}

export function prepare({ status, headers, body }: HttpResponse): Prepared {
  let lines = '';
  for (const name in headers) {
    if (name === 'link') continue;
    // The two that most answers have are never made of what a client has sent.
    const isOurs = name === 'content-type' || name === 'etag';
    lines += isOurs ? `${name}: ${headers[name]}\r\n` : headerLine(name, headers[name]!);
  }
  const link = headers.link === undefined ? undefined : fitting(headers.link, 'link');
  return { status, lines, link, body, length: Buffer.byteLength(body) };
}

/** Sends an answer with what the hooks have put on it. */
export type Respond = (request: FastifyRequest, reply: FastifyReply, answer: Prepared) => void;

/**
 * All is known of an answer when it is given, so it goes to node:http in one piece instead of header by header
 * through the framework. An answer that cannot be written ends its connection, so that nobody waits for it.
 */
export function responder(finish: Finish, onFault: (err: unknown) => void): Respond {
  return (request, reply, answer) => {
    const { status, body, length } = answer;
    reply.hijack();
    try {
      writeHead(reply.raw, request.state, answer);
      // As many bytes as characters: plain ASCII, which is the same in Latin-1 and sooner written.
      if (isBodiless(status)) reply.raw.end();
      else reply.raw.end(body, length === body.length ? 'latin1' : 'utf8');
    } catch (err) {
      onFault(err);
      reply.raw.destroy();
    }
    finish(request, status);
  };
}

/**
 * What `writeHead` of node:http ends in. It looks at each header for itself; here most of them are one text that was
 * looked at before, and Node is given only those by which it knows where the answer ends, and what comes after it.
 */
interface HeadWriter {
  _hasBody: boolean;
  _storeHeader(firstLines: string, headers: string[]): void;
}

function writeHead(
  response: ServerResponse,
  { lines, rateLines, marks, isLast }: RequestState,
  answer: Prepared,
): void {
  const { status, link } = answer;
  let head = statusLine(status) + lines + rateLines + answer.lines;
  if (link !== undefined) head += `link: ${marks === undefined ? link : `${link}, ${marks}`}\r\n`;
  else if (marks !== undefined) head += `link: ${marks}\r\n`;
  const framing = isLast ? ['connection', 'close'] : [];
  const writer = response as unknown as HeadWriter;
  if (isBodiless(status)) writer._hasBody = false;
  else framing.push('content-length', String(answer.length));
  response.statusCode = status;
  writer._storeHeader(head, framing);
}

function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

// Not imported by name, for the reason given in server.ts.
const { STATUS_CODES } = process.getBuiltinModule('node:http');
const statusLines = new Map<number, string>();

export function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    statusLines.set(status, line);
  }
  return line;
}
