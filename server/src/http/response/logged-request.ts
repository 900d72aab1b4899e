import type { FastifyRequest } from 'fastify';
import { API_PREFIX } from '../../contract/version.ts';
import type { LoggedRequest } from '../../domain/logs/request.ts';
import { NO_WORKSPACE } from '../../domain/workspace.ts';
import { addressNetwork } from '../../lib/network/address-bucket.ts';
import { MCP_PATH } from '../paths.ts';

/** Longer paths are cut: many of them wait in memory. */
const PATH_LENGTH_MAX = 500;

interface SentResponse {
  status: number;
  responseBytes: number;
  /** The path as the log shows it. */
  path: string;
  /** When the response was sent. */
  now: number;
  durationMs: number;
}

/** Usage counts successful reads. Pages are not metered, and what asks for them is not a client of the API. */
export function isLogged({ state }: FastifyRequest, status: number): boolean {
  const { operation, isPage } = state;
  if (status >= 400) return !isPage;
  return operation !== undefined && operation.kind !== 'read';
}

/** What the request log keeps of a request. */
export function loggedRequest(
  request: FastifyRequest,
  { status, responseBytes, path, now, durationMs }: SentResponse,
): Omit<LoggedRequest, 'entry'> {
  const { operation, caller, errorCode, isReplay, trace } = request.state;
  const isMessage = path === MCP_PATH;
  const via = isMessage ? 'mcp' : caller?.parentId === undefined ? 'http' : 'console';
  const route = isMessage ? MCP_PATH : operation && `${API_PREFIX}${operation.path}`;
  return {
    workspaceId: caller?.workspaceId ?? NO_WORKSPACE,
    id: request.id,
    at: Math.round(now - durationMs),
    method: request.method,
    route,
    path: path.length > PATH_LENGTH_MAX ? `${path.slice(0, PATH_LENGTH_MAX)}…` : path,
    operationId: operation?.id,
    status,
    code: errorCode,
    keyId: caller?.keyId,
    durationUs: Math.round(durationMs * 1000),
    requestBytes: bytesOf(request),
    responseBytes,
    isReplay,
    traceId: trace?.traceId,
    via,
    address: addressNetwork(request.ip),
  };
}

/** Of the body. One that was not read has the length that its client declared, if it did. */
function bytesOf({ body, raw }: FastifyRequest): number {
  if (Buffer.isBuffer(body)) return body.length;
  const read = (body as { bytes?: Buffer } | undefined)?.bytes;
  if (read) return read.length;
  const declared = Number(raw.headers['content-length'] ?? 0);
  return Number.isSafeInteger(declared) ? declared : 0;
}
