import type { FastifyRequest } from 'fastify';
import { API_PREFIX } from '../../contract/version.ts';
import { Refusal } from '../../domain/errors.ts';
import type { Scope } from '../../domain/key.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Dependencies, Operation } from '../../operations/operation.ts';
import type { Path } from '../paths.ts';
import { isSunset, showLifecycle } from '../response/lifecycle-headers.ts';
import { headerLine } from '../response/send.ts';
import type { Step } from './step.ts';

/** Lets through who may do this, while the operation is there at all. */
export function authorise(deps: Dependencies, paths: readonly Path[]): Step {
  return (request) => {
    const { operation, identityRefusal } = request.state;
    if (operation) return refusalOf(operation, request, deps);
    if (identityRefusal?.code === 'invalid_request') return identityRefusal;
    const path = decodeURI(request.raw.url!.split('?', 1)[0]!).slice(API_PREFIX.length);
    const known = paths.find(({ shape }) => shape.test(path));
    if (!known) return new Refusal('not_found');
    request.state.lines += headerLine('allow', known.methods.join(', '));
    return new Refusal('method_not_allowed');
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
