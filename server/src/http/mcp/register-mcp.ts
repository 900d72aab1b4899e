// POST /mcp: the operations as tools for agents. A message that calls a tool is counted, decided and recorded as the
// request it stands for. All other messages cost no quota; they have a cap of their own.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import { once } from '../../lib/once.ts';
import type { ToolCall } from '../../mcp/endpoint.ts';
import type { Operation } from '../../operations/operation.ts';
import { MCP_PATH } from '../paths.ts';
import { chargeBucket } from '../request/charge.ts';
import { parseQuery, queryIn } from '../request/url.ts';
import type { HttpResponse } from '../response/headers.ts';
import { lifecycleOf } from '../response/lifecycle-headers.ts';
import type { RouteOptions } from '../route.ts';
import type { Step } from '../steps/step.ts';
import { toolRunner } from './run-tool.ts';

/** What the steps, the log and the metrics see of a message that calls no tool. */
const endpoint = {
  id: 'mcp',
  kind: 'read',
  method: 'POST',
  path: MCP_PATH,
  scope: 'any',
  metering: 'mcp',
  stability: 'experimental',
  success: { kind: 'value', status: 200 },
} as unknown as Operation;

interface McpOptions {
  operations: readonly Operation[];
  /** The steps that admit the request of a tool. */
  admission: readonly Step[];
  routes: RouteOptions;
}

export function registerMcp(app: FastifyInstance, options: McpOptions): void {
  const { sendResponse, sendError, deps } = options.routes;
  const responseTo = messageHandler(options);
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      sendResponse(request, reply, await responseTo(request, reply));
    } catch (err) {
      sendError(err, request, reply);
    }
  };
  // A body that cannot be parsed is a message too, so it is counted.
  app.setErrorHandler((err, request, reply) => {
    reply.hijack();
    const isCounted = request.state?.caller !== undefined;
    void (isCounted ? chargeBucket(request, deps) : Promise.resolve()).then(
      () => sendError(err, request, reply),
      (refusal: unknown) => sendError(refusal, request, reply),
    );
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, bytes: Buffer) => bytes,
  );
  app.route({
    method: app.supportedMethods,
    url: '',
    config: { operation: endpoint, lifecycle: lifecycleOf(endpoint)! },
    handler: (request, reply) => void answer(request, reply),
  });
}

function messageHandler({ operations, admission, routes }: McpOptions) {
  const { deps } = routes;
  const runTool = toolRunner(admission, routes);
  const load = once(async () => {
    const [{ createEndpoint }, { selectionQuery }] = await Promise.all([
      import('../../mcp/endpoint.ts'),
      import('../../mcp/tool.ts'),
    ]);
    const read = createEndpoint(operations, deps);
    return (request: FastifyRequest): ToolCall | HttpResponse | Refusal => {
      try {
        const selection = parseQuery(selectionQuery, queryIn(request.raw.url!));
        const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
        const { headers, state } = request;
        return read({ bytes, headers, selection, caller: state.caller! });
      } catch (err) {
        if (err instanceof Refusal) return err;
        throw err;
      }
    };
  });
  return async (request: FastifyRequest, reply: FastifyReply): Promise<HttpResponse> => {
    const message = (await load())(request);
    if ('operation' in message) return message.reply(await runTool(request, reply, message));
    await chargeBucket(request, deps);
    if (message instanceof Refusal) throw message;
    return message;
  };
}
