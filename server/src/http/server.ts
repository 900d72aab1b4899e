// Assembles the HTTP server: connections, pipeline, the routes of the operations, pages, and errors for
// everything else.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
} from 'fastify';
import type { Logger } from 'pino';
import { API_PREFIX } from '../contract/version.ts';
import type { Datastore } from '../datastore/datastore.ts';
import { Refusal } from '../domain/errors.ts';
import { mayHoldApiKey } from '../lib/api-key.ts';
import type { Coalescer } from '../lib/coalescer.ts';
import { METHODS } from '../lib/node-http.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Dependencies, Operation } from '../operations/operation.ts';
import type { DailyEvents } from '../services/events/daily-events.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { Connections } from './connections/connections.ts';
import { Drain } from './connections/drain.ts';
import { createHttpServer, type Timeouts } from './connections/http-server.ts';
import { Pipelining } from './connections/pipelining.ts';
import { allowOrigins } from './cors.ts';
import { registerMcp } from './mcp/register-mcp.ts';
import { type PagesOptions, registerPages } from './pages/pages.ts';
import { MCP_PATH, pathsOf, shadowedPaths } from './paths.ts';
import {
  admissionSteps,
  mcpSteps,
  openingSteps,
  operationSteps,
  pageSteps,
  runSteps,
  type StepsOptions,
} from './pipeline.ts';
import type { ReadCache } from './read-cache.ts';
import { acceptJsonBodies } from './request/body.ts';
import { traceStarter } from './request/trace.ts';
import { lifecycleOf } from './response/lifecycle-headers.ts';
import { RawErrors } from './response/raw-errors.ts';
import { countUsage, requestRecorder } from './response/record-request.ts';
import { downloadSender } from './response/send-download.ts';
import { errorSender, type SendError } from './response/send-error.ts';
import { responseSender } from './response/send-response.ts';
import { streamSender } from './response/send-stream.ts';
import { handlerOf, type RouteOptions } from './route.ts';
import { SessionCookies } from './session-cookies.ts';
import type { Workload } from './workload.ts';
import { Writer } from './writer.ts';

interface ServerOptions extends PagesOptions {
  store: Datastore;
  limiter: Limiter;
  deps: Dependencies;
  log: Logger;
  daily: DailyEvents;
  addressPerMinute: number;
  trustProxy: false | ((address: string) => boolean);
  corsOrigins: readonly string[];
  coalescer: Coalescer;
  workload: Workload;
  timeouts: Partial<Timeouts>;
  readCache: ReadCache | undefined;
  /** Undefined unless traces are exported. */
  tracing: Tracing | undefined;
  /** Whether responses say how long they took. */
  hasServerTiming: boolean;
}

export interface HttpServer {
  fastify: FastifyInstance;
  /** Answers every request whose head was read, then closes. */
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 256 * 1024;
const REQUEST_ID_SHAPE = /^[\w.:/+=@-]{1,128}$/;
const NO_QUERY = Object.freeze({});
/** Operations check their own bodies (operations/schemas). Without these two, Fastify loads compilers of schemas. */
const NO_COMPILERS = { buildValidator: refuseSchemas, buildSerializer: refuseSchemas };

export async function buildServer(options: ServerOptions): Promise<HttpServer> {
  const { operations, corsOrigins } = options;
  const kernel = createKernel(options);
  const { app, drain, rawErrors, sendError, recordRequest, limits } = kernel;
  const routes = routeOptions(options, kernel);
  const steps = stepsOptions(options, kernel);
  app.addHook('onSend', (request, reply, _, done) => {
    if (request.state.closesConnection || drain.markLastResponse(request.raw.socket)) {
      reply.header('connection', 'close');
    }
    recordRequest(request, reply.statusCode);
    done();
  });
  await app.register(async (pages) => {
    pages.addHook('onRequest', runSteps(pageSteps(steps), sendError));
    pages.setNotFoundHandler(notFound);
    registerPages(pages, options);
  });
  const register = async (v1: FastifyInstance) => {
    // A preflight request takes the opening steps and no others.
    v1.addHook('onRequest', runSteps(openingSteps(steps), sendError));
    if (corsOrigins.length > 0) await allowOrigins(v1, corsOrigins, limits);
    v1.addHook('onRequest', runSteps(operationSteps(steps), sendError));
    v1.setNotFoundHandler(notFound);
    registerOperations(v1, operations, routes);
  };
  await app.register(register, { prefix: API_PREFIX });
  const registerMessages = async (mcp: FastifyInstance) => {
    mcp.addHook('onRequest', runSteps(openingSteps(steps), sendError));
    if (corsOrigins.length > 0) await allowOrigins(mcp, corsOrigins, limits);
    mcp.addHook('onRequest', runSteps(mcpSteps(steps), sendError));
    registerMcp(mcp, { operations, admission: admissionSteps(steps), routes });
  };
  await app.register(registerMessages, { prefix: MCP_PATH });
  const close = async () => {
    // First: while Fastify closes, it marks every response as the last on its connection.
    await drain.run(app.server as Server, () => rawErrors.refuseIncomplete());
    await app.close();
  };
  return { fastify: app, close };
}

/** What pages and operations share: connections, telemetry, responses and errors. */
function createKernel(options: ServerOptions) {
  const { deps, limiter, addressPerMinute, log, metrics, daily } = options;
  const connections = new Connections();
  const drain = new Drain(connections);
  const pipelining = new Pipelining(connections, drain);
  const limits = { limiter, addressPerMinute, onVerdict: countUsage(deps.usage) };
  const { usage, clock, requestLog } = deps;
  const telemetry = { usage, metrics, daily, log, clock, requestLog };
  const recordRequest = requestRecorder(telemetry);
  const onFailure = (err: unknown) => log.error({ err }, 'a response was not sent');
  const sendResponse = responseSender({
    connections,
    drain,
    recordRequest,
    onFailure,
    hasServerTiming: options.hasServerTiming,
  });
  const sendStream = streamSender({ drain, recordRequest });
  const sendDownload = downloadSender({ drain, recordRequest, onFailure });
  const sendError = errorSender({ limits, telemetry, sendResponse });
  const onResponse = ({ status, code }: Refusal, requestId: string) => {
    metrics.requests.countMalformed(status);
    log.info({ requestId, status, code });
  };
  const cookies = new SessionCookies(log);
  const rawErrors = new RawErrors({ connections, limits, sendError, onResponse });
  const serverFactory = (handle: RequestListener) => {
    const server = createHttpServer(pipelining.serially(handle), options.timeouts);
    connections.track(server);
    rawErrors.attach(server);
    return server;
  };
  const app = createFastify(options, sendError, { rawErrors, serverFactory });
  const responses = { sendResponse, sendStream, sendDownload, sendError, rawErrors, recordRequest };
  return { app, connections, drain, limits, cookies, ...responses };
}

type Kernel = ReturnType<typeof createKernel>;

/** What the steps of requests need. */
function stepsOptions(options: ServerOptions, kernel: Kernel): StepsOptions {
  const { deps, operations, trustProxy, tracing, corsOrigins: origins } = options;
  const startTrace = traceStarter({ tracing, isTrusted: trustProxy || (() => false) });
  const cookies = deps.isConsoleOpen ? kernel.cookies : undefined;
  return { ...options, ...kernel, startTrace, paths: pathsOf(operations), cookies, origins };
}

function routeOptions(options: ServerOptions, kernel: Kernel): RouteOptions {
  const { deps, store, workload, readCache, storageHealth, log } = options;
  const writer = new Writer({
    store,
    changes: deps.changes,
    readCache,
    hub: deps.events.hub,
    refuseWrongClock: () => storageHealth.refuseWrongClock(),
    onFailure: (err) => log.error({ err }, 'a write is committed, but what follows it failed'),
  });
  return { ...kernel, deps, writer, workload, readCache };
}

interface FastifyParts {
  rawErrors: RawErrors;
  serverFactory: (handle: RequestListener) => Server;
}

function createFastify(
  options: ServerOptions,
  sendError: SendError,
  { rawErrors, serverFactory }: FastifyParts,
): FastifyInstance {
  const nextRequestId = requestIds();
  const app = Fastify({
    serverFactory: serverFactory as never,
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: options.trustProxy,
    genReqId: (request: IncomingMessage) => clientRequestId(request) ?? nextRequestId(),
    clientErrorHandler: ((err: Error, socket: Socket) =>
      rawErrors.onClientError(err, socket)) as never,
    frameworkErrors: (err, request, reply) => sendError(err, request, reply as FastifyReply),
    exposeHeadRoutes: true,
    return503OnClosing: false,
    schemaController: { compilersFactory: NO_COMPILERS },
    routerOptions: { maxParamLength: 16_384, querystringParser: () => NO_QUERY },
  });
  app.decorateRequest('state');
  app.setErrorHandler(sendError);
  acceptJsonBodies(app);
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method);
  }
  return app;
}

function refuseSchemas(): never {
  throw new Error(
    'a route declares a Fastify schema; operations validate their own bodies (operations/schemas)',
  );
}

function notFound(): never {
  throw new Refusal('not_found');
}

function registerOperations(
  v1: FastifyInstance,
  operations: readonly Operation[],
  routes: RouteOptions,
): void {
  for (const operation of operations) {
    v1.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      config: configOf(operation),
      handler: handlerOf(operation, routes),
    });
  }
  for (const { path, methods } of shadowedPaths(pathsOf(operations))) {
    const others = v1.supportedMethods.filter((method) => !methods.includes(method));
    v1.route({ method: others, url: path, handler: notFound });
  }
}

function configOf(operation: Operation): FastifyContextConfig {
  const lifecycle = lifecycleOf(operation);
  return { operation, ...(lifecycle ? { lifecycle } : {}) };
}

function clientRequestId(request: IncomingMessage): string | undefined {
  const given = request.headers['x-request-id'];
  const isSane = typeof given === 'string' && REQUEST_ID_SHAPE.test(given);
  return isSane && !mayHoldApiKey(given) ? given : undefined;
}

/**
 * Unique without randomness for each request: a random prefix and a count. The prefix is hexadecimal, so that an id never
 * begins with a hyphen: `petstore requests get` would take that for an option.
 */
function requestIds(): () => string {
  const start = randomBytes(9).toString('hex');
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}
