import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ToolCall } from '../../mcp/endpoint.ts';
import type { RequestParts } from '../../mcp/request-parts.ts';
import type { Operation } from '../../operations/operation.ts';
import { errorResponse, toRefusal } from '../response/error-response.ts';
import type { HttpResponse } from '../response/headers.ts';
import { type Execute, executorOf, type RouteOptions } from '../route.ts';
import type { Step } from '../steps/step.ts';
import { workKindOf } from '../workload.ts';

type RunTool = (
  request: FastifyRequest,
  reply: FastifyReply,
  call: ToolCall,
) => Promise<HttpResponse>;

/**
 * Runs the operation of a tool for the request that called it, as if it had come by itself: admitted at its cost, parsed,
 * checked and recorded by the same code. Refusals of the operation are responses. Those of the service are thrown, and
 * keep their status.
 */
export function toolRunner(admission: readonly Step[], routes: RouteOptions): RunTool {
  const { workload } = routes;
  const executors = new Map<Operation, Execute>();
  const executorFor = (operation: Operation) => {
    const known = executors.get(operation) ?? executorOf(operation, routes);
    executors.set(operation, known);
    return known;
  };
  return async (request, reply, { operation, request: partsOf }) => {
    const { state } = request;
    state.operation = operation;
    // Until now the caller was only known not to be banned.
    state.verdict = undefined;
    const kind = workKindOf(operation);
    for (const step of admission) {
      const refusal = await step(request, reply);
      if (refusal) throw refusal;
    }
    workload.start(kind);
    try {
      const response = await executorFor(operation)(requestOf(request, operation, partsOf()));
      state.operationStatus = response.status;
      return response;
    } catch (err) {
      const refused = toRefusal(err, request);
      if (refused.status === 429 || refused.status >= 500) throw err;
      state.errorCode = refused.code;
      state.operationStatus = refused.status;
      return errorResponse(refused, request.id);
    } finally {
      workload.end(kind);
    }
  };
}

/** The request that a call stands for. It shares the state, the address and the connection of the one that carries it. */
function requestOf(
  carrier: FastifyRequest,
  { method }: Operation,
  { url, params, body, idempotencyKey }: RequestParts,
): FastifyRequest {
  const { id, ip, state, server } = carrier;
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  const raw = { url, method, headers, socket: carrier.raw.socket };
  const bytes = body && Buffer.from(JSON.stringify(body));
  const parsed = bytes && { bytes, value: body };
  return { id, ip, state, server, method, headers, raw, params, body: parsed } as never;
}
