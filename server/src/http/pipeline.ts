// The steps that every request takes, in order, and the function that runs them. Read this file first.
//
// A request arrives on a connection (connections/), takes the opening steps, and then those of a page, of an
// operation or of MCP. What is left goes to the handler of its route (route.ts): parse the call, read or write, respond.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../domain/errors.ts';
import type { Coalescer } from '../lib/coalescer.ts';
import type { Dependencies } from '../operations/operation.ts';
import type { Connections } from './connections/connections.ts';
import type { Path } from './paths.ts';
import { answerFromCache, type ReadCache } from './read-cache.ts';
import type { LimitOptions } from './request/charge.ts';
import type { StartTrace } from './request/trace.ts';
import type { SendError } from './response/send-error.ts';
import type { SendResponse } from './response/send-response.ts';
import type { SessionCookies } from './session-cookies.ts';
import { authenticate } from './steps/authenticate.ts';
import { authorise } from './steps/authorise.ts';
import { limit } from './steps/limit.ts';
import { negotiate } from './steps/negotiate.ts';
import {
  addVersionHeader,
  guardRequest,
  setPageHeaders,
  startRequest,
  trackBody,
} from './steps/opening.ts';
import { shedLoad } from './steps/shed-load.ts';
import { acceptOnly, refuseOtherOrigins, type Step } from './steps/step.ts';
import type { Workload } from './workload.ts';

export interface StepsOptions {
  coalescer: Coalescer;
  startTrace: StartTrace;
  connections: Connections;
  workload: Workload;
  deps: Dependencies;
  limits: LimitOptions;
  paths: readonly Path[];
  readCache: ReadCache | undefined;
  sendResponse: SendResponse;
  /** Absent where no session is accepted. */
  cookies: SessionCookies | undefined;
  /** The origins whose pages may call the service. */
  origins: readonly string[];
}

export function openingSteps({ coalescer, startTrace, connections }: StepsOptions): Step[] {
  return [startRequest(coalescer, startTrace), guardRequest, trackBody(connections)];
}

export function pageSteps(options: StepsOptions): Step[] {
  return [...openingSteps(options), setPageHeaders];
}

export function operationSteps(options: StepsOptions): Step[] {
  const { workload, connections, deps, limits, paths, readCache, sendResponse, cookies } = options;
  return [
    addVersionHeader,
    shedLoad(workload, connections),
    authenticate(deps.credentials, cookies),
    limit(limits),
    authorise(deps, paths),
    negotiate,
    ...(readCache ? [answerFromCache(readCache, sendResponse)] : []),
  ];
}

export function mcpSteps(options: StepsOptions): Step[] {
  const { workload, connections, deps, limits, origins } = options;
  return [
    addVersionHeader,
    acceptOnly('POST'),
    refuseOtherOrigins(origins),
    shedLoad(workload, connections),
    authenticate(deps.credentials, undefined),
    limit(limits),
    authorise(deps, []),
    negotiate,
  ];
}

/** The steps of a tool call, after its message is parsed. */
export function admissionSteps({ workload, connections, limits }: StepsOptions): Step[] {
  return [shedLoad(workload, connections), limit(limits)];
}

/** Runs all steps in one Fastify hook: a hook of its own for each would cost a round through the framework. */
export function runSteps(steps: readonly Step[], sendError: SendError) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const fail = (err: unknown) => sendError(err, request, reply);
    const runFrom = (first: number): void => {
      for (let at = first; at < steps.length; at++) {
        const result = steps[at]!(request, reply);
        if (result === undefined) continue;
        if (result instanceof Promise) {
          result.then((settled) => (settled ? end(settled) : runFrom(at + 1))).catch(fail);
        } else {
          end(result);
        }
        return;
      }
      done();
    };
    const end = (result: Refusal | 'answered') => {
      if (result !== 'answered') fail(result);
    };
    try {
      runFrom(0);
    } catch (err) {
      fail(err);
    }
  };
}
