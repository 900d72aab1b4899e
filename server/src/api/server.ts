// Puts the HTTP service together: the list of hooks that every metered request passes, in order, the routes
// made from the operations, and the answers for everything that is neither.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import type { Datastore } from '../datastore/datastore.ts';
import { Refusal } from '../domain/errors.ts';
import type { Limiter } from '../limits/limiter.ts';
import { addressesOf, shadowedAddresses } from './addresses.ts';
import { type AnswerError, answerError } from './answer-error.ts';
import { Connections } from './connections.ts';
import { answerKnown } from './hooks/answer-known.ts';
import { authenticate } from './hooks/authenticate.ts';
import { authorise } from './hooks/authorise.ts';
import { begin, headPage, showVersion } from './hooks/begin.ts';
import { allowOrigins } from './hooks/cors.ts';
import { countUsage, finish } from './hooks/finish.ts';
import { guardRequest } from './hooks/guard-request.ts';
import { limit } from './hooks/limit.ts';
import { negotiate } from './hooks/negotiate.ts';
import { shedLoad, Workload } from './hooks/shed-load.ts';
import { inOrder, type Step } from './hooks/steps.ts';
import { acceptJsonBodies, forgetIdleType } from './json-bodies.ts';
import { KnownAnswers } from './known-answers.ts';
import type { Metrics } from './metrics.ts';
import type { Dependencies, Operation } from './operation.ts';
import { registerPages } from './pages.ts';
import { type RawAnswers, rawAnswers } from './raw-answers.ts';
import { responder } from './respond.ts';
import { handlerOf, type Surroundings } from './route.ts';
import { SharedAnswers } from './shared-answers.ts';
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

// Importing it by name would load all that it offers, a WebSocket among it, and lengthen every start.
const { METHODS } = process.getBuiltinModule('node:http');
const BODY_BYTES_MAX = 256 * 1024;
const API_KEY_PREFIX = 'psk_';
const REQUEST_ID_SHAPE = /^[\w.:/+=@-]{1,128}$/;
const NO_QUERY = Object.freeze({});

export type HttpServer = FastifyInstance;

export async function buildServer(options: ServerOptions): Promise<HttpServer> {
  const { deps, store, limiter, addressPerMinute, log, metrics } = options;
  const { usage } = deps;
  const limits = { limiter, addressPerMinute, onVerdict: countUsage(usage) };
  const books = { usage, metrics, log };
  const close = finish(books);
  const respond = responder(close, (err) => log.error({ err }, 'an answer could not be written'));
  const onError = answerError(limits, books, respond);
  const connections = new Connections();
  const raw = rawAnswers(connections, limits, ({ status, code }, requestId) => {
    metrics.countRaw(status);
    log.info({ requestId, status, code });
  });
  const workload = new Workload();
  const known = store.foreignChanges && new KnownAnswers(store.foreignChanges);
  const shared = store.readsSent && new SharedAnswers(store.readsSent);
  const app = createServer(options, raw, onError);
  app.decorateRequest('state');
  app.setErrorHandler(onError);
  app.addHook('onSend', (request, reply, _, done) => {
    close(request, reply.statusCode);
    done();
  });
  acceptJsonBodies(app);
  const opening: Step[] = [begin, guardRequest, forgetIdleType];
  await app.register(async (pages) => {
    pages.addHook('onRequest', inOrder([...opening, headPage], onError));
    pages.setNotFoundHandler(notFound);
    registerPages(pages, options);
  });
  await app.register(
    async (v1) => {
      const isShared = options.corsOrigins.length > 0;
      if (isShared) {
        v1.addHook('onRequest', inOrder(opening, onError));
        await allowOrigins(v1, options.corsOrigins, limits);
      }
      const addresses = addressesOf(options.operations);
      const steps = [
        ...(isShared ? [] : opening),
        showVersion,
        shedLoad(workload, connections),
        authenticate(deps.keyRing),
        limit(limits),
        authorise(deps, addresses),
        negotiate,
        ...(known ? [answerKnown(known, respond)] : []),
      ];
      v1.addHook('onRequest', inOrder(steps, onError));
      v1.setNotFoundHandler(notFound);
      const writer = new Writer(store, (workspaceId) => known?.noteChange(workspaceId));
      registerOperations(v1, options.operations, {
        deps,
        writer,
        respond,
        refuse: onError,
        workload,
        known,
        shared,
      });
    },
    { prefix: API_PREFIX },
  );
  return app;
}

function createServer(
  options: ServerOptions,
  raw: RawAnswers,
  onError: AnswerError,
): FastifyInstance {
  const nextRequestId = requestIds();
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: options.trustProxy,
    genReqId: (request: IncomingMessage) => clientRequestId(request) ?? nextRequestId(),
    clientErrorHandler: raw.clientError as never,
    frameworkErrors: (err, request, reply) => onError(err, request, reply as FastifyReply),
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
  around: Surroundings,
): void {
  for (const operation of operations) {
    v1.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { operation },
      handler: handlerOf(operation, around),
    });
  }
  for (const { path, methods } of shadowedAddresses(addressesOf(operations))) {
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
