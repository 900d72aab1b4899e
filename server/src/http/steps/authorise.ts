import type { FastifyRequest } from 'fastify';
import { API_PREFIX } from '../../contract/version.ts';
import { errorTable, Refusal } from '../../domain/errors.ts';
import type { Caller, Scope } from '../../domain/key.ts';
import type { Dependencies, Operation } from '../../operations/operation.ts';
import { findNearestPath, type Path } from '../paths.ts';
import { pathIn } from '../request/url.ts';
import type { Step } from './step.ts';

/** Refuses callers that may not use the operation, and paths and operations that do not exist. */
export function authorise(deps: Dependencies, paths: readonly Path[]): Step {
  return (request) => {
    const { operation, identityRefusal } = request.state;
    if (operation) return checkAccess(operation, request, deps);
    if (identityRefusal?.code === 'invalid_request') return identityRefusal;
    const path = decodeURI(pathIn(request.raw.url!)).slice(API_PREFIX.length);
    const known = paths.find(({ shape }) => shape.test(path));
    if (!known) return unknownPath(path, paths);
    request.state.headers.push('allow', known.methods.join(', '));
    return new Refusal('method_not_allowed', {
      message: `This path does not accept ${request.method}. Use ${anyOf(known.methods)}.`,
    });
  };
}

function unknownPath(path: string, paths: readonly Path[]): Refusal {
  const nearest = findNearestPath(path, paths);
  const { message } = errorTable.not_found;
  return new Refusal('not_found', {
    message: nearest ? `${message} The nearest path is ${API_PREFIX}${nearest}.` : message,
  });
}

function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function checkAccess(
  operation: Operation,
  request: FastifyRequest,
  deps: Dependencies,
): Refusal | undefined {
  if (operation.isOffered && !operation.isOffered(deps)) return new Refusal('not_found');
  const { caller, identityRefusal, lifecycle, headers } = request.state;
  if (lifecycle) headers.push(...lifecycle.headersFor(request.params as Record<string, string>));
  if (!caller) {
    const needsNoKey = operation.scope === 'none' && identityRefusal?.code === 'missing_api_key';
    if (!needsNoKey) return identityRefusal;
  } else {
    const refusal = checkCaller(operation, caller);
    if (refusal) return refusal;
  }
  return lifecycle?.isSunset(deps.clock.now()) ? sunsetRefusal(operation) : undefined;
}

function checkCaller({ scope, session }: Operation, caller: Caller): Refusal | undefined {
  if (scope !== 'none' && scope !== 'any' && !caller.scopes.includes(scope)) {
    return missingScope(scope);
  }
  const isSession = caller.parentId !== undefined;
  if (session === undefined || isSession === (session !== 'opens')) return undefined;
  return isSession ? new Refusal('session_not_accepted') : NO_SESSION;
}

const NO_SESSION = new Refusal('missing_api_key', {
  message: 'There is no session. Open one with POST /v1/session.',
});

function missingScope(scope: Scope): Refusal {
  return new Refusal('insufficient_scope', {
    message: `The API key lacks the scope ${scope}, which this operation needs.`,
    details: { scope },
  });
}

function sunsetRefusal({ id, deprecation }: Operation): Refusal {
  const { sunset, successor } = deprecation!;
  return new Refusal('operation_sunset', {
    message: `${id} was switched off on ${sunset}. Use ${successor} instead.`,
    details: { sunset, successor },
  });
}
