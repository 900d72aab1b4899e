import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../../domain/durations.ts';
import { Refusal } from '../../domain/errors.ts';
import type { Download } from '../../operations/success.ts';
import type { Drain } from '../connections/drain.ts';
import type { RecordRequest } from './record-request.ts';

/** Throws before anything is written, if the first part cannot be read. */
export type SendDownload = (
  request: FastifyRequest,
  reply: FastifyReply,
  download: Download,
) => Promise<void>;

interface DownloadSenderOptions {
  drain: Drain;
  recordRequest: RecordRequest;
  onFailure: (err: unknown) => void;
  /** How long a client may take to read what was sent; 30 s if absent. */
  stallMs?: number;
}

/** How many one node sends at once. Each holds one part in memory. */
export const DOWNLOADS_MAX = 4;
const STALL_MS = 30 * SECOND_MS;

/**
 * Sends a file part by part: the next one is read when the client has taken the one before. A client that stalls, and a file
 * that cannot be read to its end, end the connection, so that the client does not take the file for a whole one.
 */
export function downloadSender(options: DownloadSenderOptions): SendDownload {
  const { drain, recordRequest, onFailure, stallMs = STALL_MS } = options;
  let running = 0;
  return async (request, reply, { type, fileName, chunks }) => {
    if (running >= DOWNLOADS_MAX) throw new Refusal('overloaded');
    running += 1;
    try {
      const parts = chunks[Symbol.asyncIterator]();
      let part = await parts.next();
      const { raw, state } = request;
      const headers = [...state.headers, ...state.rateHeaders, 'content-type', type];
      headers.push('content-disposition', `attachment; filename="${fileName}"`);
      if (state.closesConnection || drain.markLastResponse(raw.socket)) {
        headers.push('connection', 'close');
      }
      reply.hijack();
      const response = reply.raw.writeHead(200, headers);
      recordRequest(request, 200);
      try {
        for (; raw.method !== 'HEAD' && !part.done; part = await parts.next()) {
          if (response.destroyed) break;
          if (response.write(part.value)) continue;
          await once(response, 'drain', { signal: AbortSignal.timeout(stallMs) });
        }
        response.end();
      } catch (err) {
        onFailure(err);
        response.destroy();
      } finally {
        await parts.return?.();
      }
    } finally {
      running -= 1;
    }
  };
}
