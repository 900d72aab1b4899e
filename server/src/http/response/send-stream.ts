import type { FastifyReply, FastifyRequest } from 'fastify';
import { HOUR_MS } from '../../domain/durations.ts';
import type { StreamSource } from '../../operations/success.ts';
import type { Drain } from '../connections/drain.ts';
import { EventStream, STREAM_TIMES } from './event-stream.ts';
import type { RecordRequest } from './record-request.ts';

interface StreamResponse {
  source: StreamSource;
  /** Counts the stream; throws a Refusal if there were too many. */
  charge: () => Promise<void>;
}

/** Throws before anything is written, if the stream is refused. Resolves when it has begun. */
export type SendStream = (
  request: FastifyRequest,
  reply: FastifyReply,
  response: StreamResponse,
) => Promise<void>;

interface StreamSenderOptions {
  drain: Drain;
  recordRequest: RecordRequest;
}

/** Streams that began together do not all end together. */
const LIFE_SPREAD = 0.1;
const RECONNECT_MIN_MS = 500;
const RECONNECT_MAX_MS = 5_000;

export function streamSender(options: StreamSenderOptions): SendStream {
  const { drain, recordRequest } = options;
  return async (request, reply, { source, charge }) => {
    const { raw, state } = request;
    let isStopping = false;
    // Until the stream has begun, a stop is only remembered.
    let stop = () => {
      isStopping = true;
    };
    const leave = source.open(() => stop());
    try {
      await charge();
    } catch (err) {
      leave();
      throw err;
    }
    const isClosed = raw.socket.destroyed;
    const headers = [...state.headers, ...state.rateHeaders];
    headers.push('content-type', 'text/event-stream', 'x-accel-buffering', 'no');
    if (state.closesConnection || drain.markLastResponse(raw.socket)) {
      headers.push('connection', 'close');
    }
    reply.hijack();
    reply.raw.writeHead(200, headers);
    recordRequest(request, 200);
    if (raw.method === 'HEAD' || isClosed) {
      reply.raw.end();
      leave();
      return;
    }
    const lifeMs = HOUR_MS * (1 + LIFE_SPREAD * (2 * Math.random() - 1));
    const stream = new EventStream(reply.raw, source, { ...STREAM_TIMES, lifeMs });
    stop = () =>
      stream.stop(RECONNECT_MIN_MS + Math.random() * (RECONNECT_MAX_MS - RECONNECT_MIN_MS));
    if (isStopping) stop();
    void stream.run().finally(leave);
  };
}
