// The steps that every request takes, in one list, and what runs them.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../domain/errors.ts';
import type { Coalescer } from '../lib/coalescer.ts';
import type { Dependencies } from '../operations/operation.ts';
import type { Connections } from './connections/connections.ts';
import type { Workload } from './connections/workload.ts';
import type { Path } from './paths.ts';
import type { ReadCache } from './read-cache.ts';
import { forgetIdleType } from './request/body.ts';
import type { Respond } from './response/send.ts';
import type { SendError } from './response/send-error.ts';
import { answerFromCache } from './steps/answer-from-cache.ts';
import { authenticate } from './steps/authenticate.ts';
import { authorise } from './steps/authorise.ts';
import { guardRequest } from './steps/guard-request.ts';
import { type LimitOptions, limit } from './steps/limit.ts';
import { negotiate } from './steps/negotiate.ts';
import { shedLoad } from './steps/shed-load.ts';
import { headPage, showVersion, startRequest } from './steps/start-request.ts';
import { ANSWERED, type Step } from './steps/step.ts';

export interface ApiStepsOptions {
  workload: Workload;
  connections: Connections;
  deps: Dependencies;
  limits: LimitOptions;
  paths: readonly Path[];
  readCache: ReadCache | undefined;
  respond: Respond;
}

export function openingSteps(coalescer: Coalescer): Step[] {
  return [startRequest(coalescer), guardRequest, forgetIdleType];
}

export function pageSteps(coalescer: Coalescer): Step[] {
  return [...openingSteps(coalescer), headPage];
}

export function apiSteps(options: ApiStepsOptions): Step[] {
  const { workload, connections, deps, limits, paths, readCache, respond } = options;
  return [
    showVersion,
    shedLoad(workload, connections),
    authenticate(deps.keyRing),
    limit(limits),
    authorise(deps, paths),
    negotiate,
    ...(readCache ? [answerFromCache(readCache, respond)] : []),
  ];
}

/**
 * Runs all steps in one Fastify hook: a step costs a call, a hook costs a round through the framework. The first
 * refusal is sent at once.
 */
export function runSteps(steps: readonly Step[], sendError: SendError) {
  const run = (request: FastifyRequest, reply: FastifyReply, done: () => void, from: number) => {
    for (let at = from; at < steps.length; at++) {
      const result = steps[at]!(request, reply);
      if (result === undefined) continue;
      if (result instanceof Promise) {
        result
          .then((settled) => {
            if (settled === undefined) run(request, reply, done, at + 1);
            else stop(settled, request, reply);
          })
          .catch((err: unknown) => sendError(err, request, reply));
      } else {
        stop(result, request, reply);
      }
      return;
    }
    done();
  };
  const stop = (
    result: Refusal | typeof ANSWERED,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    if (result !== ANSWERED) sendError(result, request, reply);
  };
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    try {
      run(request, reply, done, 0);
    } catch (err) {
      sendError(err, request, reply);
    }
  };
}
