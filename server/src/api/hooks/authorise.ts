import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import type { Scope } from '../../domain/key.ts';
import type { Clock } from '../../lib/clock.ts';
import { isSunset, showLifecycle } from '../lifecycle.ts';
import type { Dependencies, Operation } from '../operation.ts';

/** Lets through who may do this, while the operation is there at all. */
export function authorise(deps: Dependencies) {
  return (request: FastifyRequest, _: FastifyReply, done: (err?: Error) => void) => {
    const { operation, allow } = request.routeOptions.config;
    const { identityRefusal } = request.state;
    if (operation) {
      done(refusalOf(operation, request, deps));
    } else if (identityRefusal?.code === 'invalid_request') {
      done(identityRefusal);
    } else if (allow) {
      request.state.headers.push('allow', allow);
      done(new Refusal('method_not_allowed'));
    } else {
      done(new Refusal('not_found'));
    }
  };
}

function refusalOf(
  operation: Operation,
  request: FastifyRequest,
  deps: Dependencies,
): Refusal | undefined {
  if (operation.isOpen && !operation.isOpen(deps)) return new Refusal('not_found');
  const { caller, identityRefusal } = request.state;
  showLifecycle(operation, request.state, request.params as Record<string, string>);
  if (!caller) {
    const isWelcome = operation.scope === 'none' && identityRefusal?.code === 'missing_api_key';
    if (!isWelcome) return identityRefusal;
  } else if (operation.scope !== 'none' && !caller.scopes.includes(operation.scope)) {
    return lacks(operation.scope);
  }
  return sunsetRefusal(operation, deps.clock);
}

function lacks(scope: Scope): Refusal {
  return new Refusal('insufficient_scope', {
    message: `The API key lacks the scope ${scope}, which this operation needs.`,
    details: { scope },
  });
}

function sunsetRefusal({ id, deprecation }: Operation, clock: Clock): Refusal | undefined {
  if (!deprecation || !isSunset(deprecation, clock.now())) return undefined;
  const { sunset, successor } = deprecation;
  return new Refusal('operation_sunset', {
    message: `${id} was switched off on ${sunset}. Use ${successor} instead.`,
    details: { sunset, successor },
  });
}
