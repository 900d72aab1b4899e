// Puts the HTTP server together: the pipeline, the routes made from the operations, the pages, and the errors
// for everything else.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { API_PREFIX } from '../contract/version.ts';
import type { Datastore } from '../datastore/datastore.ts';
import { Refusal } from '../domain/errors.ts';
import type { Coalescer } from '../lib/coalescer.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Dependencies, Operation } from '../operations/operation.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { Connections } from './connections/connections.ts';
import type { Workload } from './connections/workload.ts';
import { registerPages } from './pages/pages.ts';
import { pathsOf, shadowedPaths } from './paths.ts';
import { apiSteps, openingSteps, pageSteps, runSteps } from './pipeline.ts';
import type { ReadCache } from './read-cache.ts';
import { acceptJsonBodies } from './request/body.ts';
import { type RawErrors, rawErrors } from './response/raw-errors.ts';
import { responder } from './response/send.ts';
import { errorSender, type SendError } from './response/send-error.ts';
import { handlerOf, type RouteOptions } from './route.ts';
import { allowOrigins } from './steps/cors.ts';
import { countUsage, finish } from './steps/finish-request.ts';
import { Writer } from './write.ts';
import './request/request-state.ts';

export interface ServerOptions {
  operations: readonly Operation[];
  store: Datastore;
  limiter: Limiter;
  deps: Dependencies;
  log: Logger;
  metrics: Metrics;
  addressPerMinute: number;
  trustProxy: string[] | boolean;
  corsOrigins: readonly string[];
  coalescer: Coalescer;
  workload: Workload;
  /** Only where this process alone changes the data. */
  readCache: ReadCache | undefined;
  /** Whether the process is on its way out. */
  isDraining: () => boolean;
}

// Importing it by name would load all that it offers, a WebSocket among it, and lengthen every start.
const { METHODS } = process.getBuiltinModule('node:http');
const BODY_BYTES_MAX = 256 * 1024;
const API_KEY_PREFIX = 'psk_';
const REQUEST_ID_SHAPE = /^[\w.:/+=@-]{1,128}$/;
const NO_QUERY = Object.freeze({});

export type HttpServer = FastifyInstance;

export async function buildServer(options: ServerOptions): Promise<HttpServer> {
  const { deps, store, limiter, addressPerMinute, log, metrics } = options;
  const { coalescer, readCache, workload } = options;
  const { usage } = deps;
  const limits = { limiter, addressPerMinute, onVerdict: countUsage(usage) };
  const telemetry = { usage, metrics, log };
  const finishRequest = finish(telemetry);
  const respond = responder(finishRequest, (err) => log.error({ err }, 'a response was not sent'));
  const sendError = errorSender(limits, telemetry, respond);
  const connections = new Connections();
  const raw = rawErrors(connections, limits, ({ status, code }, requestId) => {
    metrics.countRaw(status);
    log.info({ requestId, status, code });
  });
  const app = createServer(options, raw, sendError);
  app.decorateRequest('state');
  app.setErrorHandler(sendError);
  app.addHook('onSend', (request, reply, _, done) => {
    finishRequest(request, reply.statusCode);
    done();
  });
  acceptJsonBodies(app);
  await app.register(async (pages) => {
    pages.addHook('onRequest', runSteps(pageSteps(coalescer), sendError));
    pages.setNotFoundHandler(notFound);
    registerPages(pages, options);
  });
  const paths = pathsOf(options.operations);
  const writer = new Writer(store, (workspaceId) => readCache?.noteChange(workspaceId));
  const routes = { deps, writer, respond, sendError, workload, readCache };
  const steps = apiSteps({ workload, connections, deps, limits, paths, readCache, respond });
  const register = async (v1: FastifyInstance) => {
    v1.addHook('onRequest', runSteps(openingSteps(coalescer), sendError));
    if (options.corsOrigins.length > 0) await allowOrigins(v1, options.corsOrigins, limits);
    v1.addHook('onRequest', runSteps(steps, sendError));
    v1.setNotFoundHandler(notFound);
    registerOperations(v1, options.operations, routes);
  };
  await app.register(register, { prefix: API_PREFIX });
  return app;
}

function createServer(
  options: ServerOptions,
  raw: RawErrors,
  sendError: SendError,
): FastifyInstance {
  const nextRequestId = requestIds();
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: options.trustProxy,
    genReqId: (request: IncomingMessage) => clientRequestId(request) ?? nextRequestId(),
    clientErrorHandler: raw.clientError as never,
    frameworkErrors: (err, request, reply) => sendError(err, request, reply as FastifyReply),
    exposeHeadRoutes: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384, querystringParser: () => NO_QUERY },
    http: {
      requireHostHeader: false,
      // A request without a body is no stream that somebody would have to read to its end.
      optimizeEmptyRequests: true,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
    },
    // Fastify sets these itself, whatever the options of the server underneath say.
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
  });
  raw.attach(app.server as Server);
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method);
  }
  return app;
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
      config: { operation },
      handler: handlerOf(operation, routes),
    });
  }
  for (const { path, methods } of shadowedPaths(pathsOf(operations))) {
    const others = v1.supportedMethods.filter((method) => !methods.includes(method));
    v1.route({ method: others, url: path, handler: notFound });
  }
}

function clientRequestId(request: IncomingMessage): string | undefined {
  const given = request.headers['x-request-id'];
  const isSane = typeof given === 'string' && REQUEST_ID_SHAPE.test(given);
  return isSane && !given.includes(API_KEY_PREFIX) ? given : undefined;
}

/** Unique without asking for randomness each time: a random start, then a count. */
function requestIds(): () => string {
  const start = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}
