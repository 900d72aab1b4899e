import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Connections, hangUp, hasUnreadBody } from '../connections/connections.ts';
import type { Drain } from '../connections/drain.ts';
import { compress, encodingFor, etagFor, isCompressible } from './compression.ts';
import type { HttpResponse } from './headers.ts';
import type { RecordRequest } from './record-request.ts';

/** Sends a response with the headers that the steps have collected. */
export type SendResponse = (
  request: FastifyRequest,
  reply: FastifyReply,
  response: HttpResponse,
) => void;

interface ResponseSenderOptions {
  connections: Connections;
  drain: Drain;
  recordRequest: RecordRequest;
  onFailure: (err: unknown) => void;
  /** Whether responses say how long they took. */
  hasServerTiming: boolean;
}

/**
 * Passes a response to node:http in one call instead of header by header through the framework. A response that
 * cannot be written destroys its connection, so that its client does not wait for it.
 */
export function responseSender(options: ResponseSenderOptions): SendResponse {
  const { connections, drain, recordRequest, onFailure, hasServerTiming } = options;
  return (request, reply, answer) => {
    const { status, headers: own } = answer;
    const { state, raw } = request;
    const hasBody = status !== 204 && status !== 304;
    const { headers } = state;
    headers.push(...state.rateHeaders);
    const plainBytes = Buffer.byteLength(answer.body);
    const encoding = encodingFor(raw.headers['accept-encoding'], plainBytes);
    for (const name in own) {
      headers.push(name, name === 'etag' ? etagFor(own[name]!, encoding) : own[name]!);
    }
    if (encoding) headers.push('content-encoding', encoding);
    if (isCompressible(plainBytes)) headers.push('vary', 'accept-encoding');
    const body = encoding ? compress(answer, encoding) : answer.body;
    const bytes = encoding ? body.length : plainBytes;
    if (hasBody) headers.push('content-length', String(bytes));
    const isLast = state.closesConnection || drain.markLastResponse(raw.socket);
    if (isLast) headers.push('connection', 'close');
    if (hasServerTiming) {
      const durationMs = performance.now() - state.startedAt;
      headers.push('server-timing', `total;dur=${durationMs.toFixed(3)}`);
    }
    reply.hijack();
    try {
      // Text of ASCII alone is copied as it is.
      const charset = bytes === body.length ? 'latin1' : 'utf8';
      const response = reply.raw.writeHead(status, headers);
      if (isLast && hasBody && hasUnreadBody(raw)) {
        // At the end of this response Node would close the connection, although many clients send all before they read.
        const connection = connections.find(raw.socket);
        // Node drops what is written in response to HEAD, and the head with it.
        response.flushHeaders();
        response.write(body, charset, () => connection && hangUp(connection));
      } else {
        response.end(hasBody ? body : undefined, charset);
      }
    } catch (err) {
      onFailure(err);
      reply.raw.destroy();
    }
    recordRequest(request, status, hasBody ? bytes : 0);
  };
}
