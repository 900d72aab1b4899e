/** How a request came: over HTTP with a key, from the console, or as a message of an agent. */
export const requestVias = ['http', 'console', 'mcp'] as const;

/** A request that wrote or was refused. It holds no body, query, key or header. */
export interface LoggedRequest {
  workspaceId: number;
  /** Given by this service, and another for every request. A client may choose `id`, and choose it twice. */
  entry: string;
  id: string;
  /** When it arrived, in epoch milliseconds. */
  at: number;
  method: string;
  /** The path with its parameters in braces; absent if no operation has it. */
  route?: string | undefined;
  /** Without the query. */
  path: string;
  operationId?: string | undefined;
  status: number;
  code?: string | undefined;
  /** Absent without a valid key. */
  keyId?: string | undefined;
  durationUs: number;
  requestBytes: number;
  responseBytes: number;
  isReplay: boolean;
  via: (typeof requestVias)[number];
  traceId?: string | undefined;
  /** The network of the client. */
  address: string;
}

export interface RequestFilter {
  /** The lowest and the highest status wanted. */
  status?: { lowest: number; highest: number } | undefined;
  code?: string | undefined;
  operationId?: string | undefined;
  keyId?: string | undefined;
  /** Included. */
  from?: number | undefined;
  /** Excluded. */
  to?: number | undefined;
}

export function isWanted(request: LoggedRequest, filter: RequestFilter): boolean {
  const { status, code, operationId, keyId, from, to } = filter;
  return (
    (!status || (request.status >= status.lowest && request.status <= status.highest)) &&
    (code === undefined || request.code === code) &&
    (operationId === undefined || request.operationId === operationId) &&
    (keyId === undefined || request.keyId === keyId) &&
    (from === undefined || request.at >= from) &&
    (to === undefined || request.at < to)
  );
}
