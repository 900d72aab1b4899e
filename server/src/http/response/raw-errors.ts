// Errors outside a Fastify handler: invalid HTTP, oversized headers, timeouts, CONNECT, Expect, and bodies that are
// incomplete when the service stops. If Fastify knows the request, the error is sent as its response. Otherwise it is
// written to the socket, in the shape of all errors and with the rate-limit headers of the client's address.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, Refusal } from '../../domain/errors.ts';
import { STATUS_CODES } from '../../lib/node-http.ts';
import {
  type Connection,
  type Connections,
  hangUp,
  isBodyIncomplete,
  isBusy,
} from '../connections/connections.ts';
import { type LimitOptions, limitAddress } from '../request/charge.ts';
import { errorResponse } from './error-response.ts';
import { addVersion, type FlatHeaders, firstHeaders } from './headers.ts';
import { rateHeaders } from './rate-headers.ts';
import type { SendError } from './send-error.ts';

const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};
const STOPPING = new Refusal('unavailable', { message: 'The service is stopping.' });
const MALFORMED = new Refusal('invalid_request', { message: 'The request is not valid HTTP/1.1.' });
const NO_PROXY = new Refusal('method_not_allowed', {
  message: 'CONNECT is not supported: this server is not a proxy.',
});

interface RawErrorsOptions {
  connections: Connections;
  limits: LimitOptions;
  sendError: SendError;
  /** Called with every response that is written as text. */
  onResponse: (refusal: Refusal, requestId: string) => void;
}

interface RawResponse {
  status: number;
  headers: FlatHeaders;
  body: string;
}

export class RawErrors {
  readonly #options: RawErrorsOptions;

  constructor(options: RawErrorsOptions) {
    this.#options = options;
  }

  attach(server: Server): void {
    server.on('connect', (_: IncomingMessage, socket: Duplex) => {
      // Node has removed its own listener. Without one, a reset would be an uncaught exception.
      socket.on('error', () => socket.destroy());
      const allow = ['allow', 'GET, HEAD, POST, PATCH, DELETE'];
      const send = () => void this.#send(socket as Socket, NO_PROXY, allow);
      this.#inTurn(socket as Socket, send);
    });
    server.on('checkExpectation', async (request: IncomingMessage, response: ServerResponse) => {
      const { status, headers, body } = await this.#compose(
        request.socket,
        new Refusal('expectation_failed'),
      );
      response.writeHead(status, headers).end(body);
    });
  }

  /** For the `clientError` event. */
  onClientError(err: Error & { code?: string }, socket: Socket): void {
    if (err.code === 'ECONNRESET') socket.destroy();
    // What follows the broken part of a request is no request.
    if (!socket.writable) return;
    const code = codes[err.code ?? ''];
    const refusal = code ? new Refusal(code) : MALFORMED;
    this.#inTurn(socket, (connection) => {
      const isRefused = code === 'request_timeout' && this.#refuseKnown(connection, refusal);
      if (!isRefused) void this.#send(socket, refusal);
    });
  }

  /** Refuses the requests whose body is still to come, since the service stops. */
  refuseIncomplete(): void {
    for (const connection of this.#options.connections) {
      if (isBodyIncomplete(connection) && !this.#refuseKnown(connection, STOPPING)) {
        void this.#send(connection.socket, STOPPING);
      }
    }
  }

  /** Refuses the request on this connection whose body is incomplete. False if there is none. */
  #refuseKnown(connection: Connection | undefined, refusal: Refusal): boolean {
    const known = connection?.exchange;
    if (!known || !isBodyIncomplete(connection!)) return false;
    known.request.state.closesConnection = true;
    this.#options.sendError(refusal, known.request, known.reply);
    return true;
  }

  /** Sends an error after the response that is due on the connection. */
  #inTurn(socket: Socket, send: (connection: Connection | undefined) => void): void {
    const connection = this.#options.connections.find(socket);
    if (connection?.request?.complete && isBusy(connection)) {
      connection.response!.once('close', () => this.#inTurn(socket, send));
    } else {
      send(connection);
    }
  }

  async #send(socket: Socket, refusal: Refusal, extra: FlatHeaders = []): Promise<void> {
    const connection = this.#options.connections.find(socket);
    // Without its body the request fails in Fastify too. It is refused and recorded here instead.
    if (connection && isBodyIncomplete(connection)) connection.exchange?.reply.hijack();
    const response = await this.#compose(socket, refusal, extra);
    const isAnswered = connection?.request?.complete === false && connection.response?.headersSent;
    if (!isAnswered && socket.writable) socket.write(textOf(response));
    if (connection) hangUp(connection);
    else socket.destroy();
  }

  async #compose(socket: Socket, refusal: Refusal, extra: FlatHeaders = []): Promise<RawResponse> {
    const requestId = randomUUID();
    this.#options.onResponse(refusal, requestId);
    const address = socket.remoteAddress ?? '';
    const verdict = await limitAddress(address, refusal, this.#options.limits);
    const { status, headers: own, body } = errorResponse(refusal, requestId);
    const headers = firstHeaders(requestId);
    addVersion(headers);
    headers.push(...rateHeaders(verdict), ...extra, ...Object.entries(own).flat());
    headers.push('date', new Date().toUTCString(), 'connection', 'close');
    headers.push('content-length', String(Buffer.byteLength(body)));
    return { status, headers, body };
  }
}

function textOf({ status, headers, body }: RawResponse): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${head}\r\n${body}`;
}
