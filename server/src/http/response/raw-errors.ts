// Answers that Node would make by itself, before any route is known: they get the same shape, the same
// headers and the numbers of the address they came from.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, Refusal } from '../../domain/errors.ts';
import type { Verdict } from '../../limits/limiter.ts';
import type { Connections } from '../connections/connections.ts';
import { type LimitOptions, limitAddress } from '../steps/limit.ts';
import { errorHeaders, errorText } from './errors.ts';
import { rateLines } from './rate-headers.ts';
import { firstLines, headerLines, JSON_TYPE, pairedUp, statusLine, VERSION_LINE } from './send.ts';

const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};
const STOPPING = new Refusal('unavailable', { message: 'The service is stopping.' });

export interface RawErrors {
  clientError: (err: Error & { code?: string }, socket: Socket) => void;
  attach: (server: Server) => void;
}

export function rawErrors(
  connections: Connections,
  limits: LimitOptions,
  onAnswer: (refusal: Refusal, requestId: string) => void,
): RawErrors {
  const compose = async (address: string, refusal: Refusal, extra: Record<string, string> = {}) => {
    const requestId = randomUUID();
    onAnswer(refusal, requestId);
    const verdict = await limitAddress(address, limits);
    return answerOf(refusal, requestId, verdict, extra);
  };
  const answer = async (socket: Duplex, refusal: Refusal, extra?: Record<string, string>) => {
    const raw = await compose((socket as Socket).remoteAddress ?? '', refusal, extra);
    if (connections.isAnswering(socket as Socket)) (socket as Socket).destroySoon();
    else if (socket.writable) socket.end(textOf(raw), () => socket.destroy());
    else socket.destroy();
  };
  return {
    clientError: (err, socket) => {
      if (err.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
        return;
      }
      const code = codes[err.code ?? ''] ?? 'invalid_request';
      const message = code === 'invalid_request' ? 'The request is not valid HTTP/1.1.' : undefined;
      const refusal = new Refusal(code, message ? { message } : {});
      const due = connections.findDue(socket);
      if (due) due.once('close', () => void answer(socket, refusal));
      else void answer(socket, refusal);
    },
    attach: (server) => {
      connections.attach(server, () => {
        for (const socket of connections.unfinished()) void answer(socket, STOPPING);
      });
      server.on('connect', (_: IncomingMessage, socket: Duplex) => {
        const refusal = new Refusal('method_not_allowed', {
          message: 'CONNECT is not taken here: this is no proxy.',
        });
        void answer(socket, refusal, { allow: 'GET, HEAD, POST, PATCH, DELETE' });
      });
      server.on('checkExpectation', async (request: IncomingMessage, response: ServerResponse) => {
        const refusal = new Refusal('expectation_failed');
        const { lines, body } = await compose(request.socket.remoteAddress ?? '', refusal);
        response.writeHead(refusal.status, pairedUp(lines)).end(body);
      });
    },
  };
}

interface RawAnswer {
  status: number;
  lines: string;
  body: string;
}

function answerOf(
  refusal: Refusal,
  requestId: string,
  verdict: Verdict,
  extra: Record<string, string>,
): RawAnswer {
  const body = errorText(refusal, requestId);
  const more = headerLines({
    ...errorHeaders(refusal.code),
    ...extra,
    date: new Date().toUTCString(),
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  });
  const lines = firstLines(requestId) + VERSION_LINE + rateLines(verdict) + more;
  return { status: refusal.status, lines, body };
}

function textOf({ status, lines, body }: RawAnswer): string {
  return `${statusLine(status)}${lines}\r\n${body}`;
}
