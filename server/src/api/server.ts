// Puts the HTTP service together: the list of hooks that every metered request passes, in order, the routes
// made from the operations, and the answers for everything that is neither.

import { randomBytes } from 'node:crypto';
import { type IncomingMessage, METHODS, type Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import type { Datastore } from '../datastore/datastore.ts';
import { Refusal } from '../domain/errors.ts';
import type { Limiter } from '../limits/limiter.ts';
import { answerError } from './answer-error.ts';
import { authenticate } from './hooks/authenticate.ts';
import { authorise } from './hooks/authorise.ts';
import { begin, headPage, showVersion } from './hooks/begin.ts';
import { allowOrigins } from './hooks/cors.ts';
import { countUsage, finish } from './hooks/finish.ts';
import { guardRequest } from './hooks/guard-request.ts';
import { limit } from './hooks/limit.ts';
import { negotiate } from './hooks/negotiate.ts';
import { shedLoad, Workload } from './hooks/shed-load.ts';
import { acceptJsonBodies } from './json-bodies.ts';
import type { Metrics } from './metrics.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { openApiDocument } from './openapi.ts';
import type { Dependencies, Operation } from './operation.ts';
import { registerPages } from './pages.ts';
import { type RawAnswers, rawAnswers } from './raw-answers.ts';
import { handlerOf } from './route.ts';
import { API_PREFIX } from './version.ts';
import { Writer } from './write.ts';
import './request-state.ts';

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
  /** Whether the process is on its way out. */
  isDraining: () => boolean;
}

const BODY_BYTES_MAX = 256 * 1024;
const API_KEY_PREFIX = 'psk_';
const REQUEST_ID_SHAPE = /^[\w.:/+=@-]{1,128}$/;
const NO_QUERY = Object.freeze({});

export type HttpServer = FastifyInstance;

export async function buildServer(options: ServerOptions): Promise<HttpServer> {
  const { deps, limiter, addressPerMinute, log, metrics } = options;
  const { clock, usage } = deps;
  const limits = { limiter, clock, addressPerMinute, onVerdict: countUsage(usage) };
  const books = { usage, metrics, log };
  const onError = answerError(limits, books);
  const raw = rawAnswers(limits, ({ status, code }, requestId) => {
    metrics.countRaw(status);
    log.info({ requestId, status, code });
  });
  const workload = new Workload();
  const app = createServer(options, raw, onError);
  app.decorateRequest('state');
  app.setErrorHandler(onError);
  app.setNotFoundHandler(notFound);
  app.addHook('onRequest', begin);
  app.addHook('onRequest', guardRequest);
  app.addHook('onResponse', finish(books));
  acceptJsonBodies(app);
  await app.register(async (pages) => {
    pages.addHook('onRequest', headPage);
    registerPages(pages, { ...options, document: openApiDocument(options.operations) });
  });
  await app.register(
    async (v1) => {
      v1.addHook('onRequest', showVersion);
      if (options.corsOrigins.length > 0) await allowOrigins(v1, options.corsOrigins, limits);
      v1.addHook('onRequest', shedLoad(workload));
      v1.addHook('onRequest', authenticate(deps.keyRing));
      v1.addHook('onRequest', limit(limits));
      v1.addHook('onRequest', authorise(deps));
      v1.addHook('onRequest', negotiate);
      v1.setNotFoundHandler(notFound);
      registerOperations(v1, options, workload);
    },
    { prefix: API_PREFIX },
  );
  return app;
}

function createServer(
  options: ServerOptions,
  raw: RawAnswers,
  onError: ReturnType<typeof answerError>,
): FastifyInstance {
  const nextRequestId = requestIds();
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: options.trustProxy,
    genReqId: (request: IncomingMessage) => clientRequestId(request) ?? nextRequestId(),
    clientErrorHandler: raw.clientError as never,
    frameworkErrors: (err, request, reply) => void onError(err, request, reply as FastifyReply),
    exposeHeadRoutes: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384, querystringParser: () => NO_QUERY },
    http: {
      requireHostHeader: false,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
    },
    // Fastify sets these itself, whatever the options of the server underneath say. The last one drops
    // clients that do not take their answers.
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    connectionTimeout: 60_000,
  });
  oneAtATime(app.server as Server, raw.isTooLate);
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
  { operations, deps, store }: ServerOptions,
  workload: Workload,
): void {
  const writer = new Writer(store);
  const methodsOf = new Map<string, string[]>();
  for (const operation of operations) {
    const url = operation.path.replace(/\{(\w+)\}/g, ':$1');
    const methods = methodsOf.get(url) ?? [];
    methods.push(...(operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]));
    methodsOf.set(url, methods);
    v1.route({
      method: operation.method,
      url,
      config: { operation },
      handler: workload.counted(handlerOf(operation, deps, writer)),
    });
  }
  for (const [url, methods] of methodsOf) {
    const others = v1.supportedMethods.filter((method) => !methods.includes(method));
    v1.route({
      method: others,
      url,
      config: { allow: methods.join(', ') },
      handler: refuseMethod,
    });
  }
}

/** The hook that authorises has refused before; a route cannot do without a handler. */
function refuseMethod(): never {
  throw new Refusal('method_not_allowed');
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
