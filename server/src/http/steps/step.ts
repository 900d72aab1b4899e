import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';

/** Undefined: the request goes on to the next step. Otherwise it ends here, refused or answered. */
export type StepResult = Refusal | 'answered' | undefined;

/** Returns a promise only where it has to wait for something. */
export type Step = (
  request: FastifyRequest,
  reply: FastifyReply,
) => StepResult | Promise<StepResult>;

// The two steps that only requests to MCP take.
/** Refuses all other methods of an operation, before the caller is authenticated. */
export function acceptOnly(method: string): Step {
  return (request) => {
    if (request.method === method || !request.state.operation) return undefined;
    request.state.headers.push('allow', method);
    return new Refusal('method_not_allowed', {
      message: `This path does not accept ${request.method}. Use ${method}.`,
    });
  };
}

/**
 * Refuses pages of other origins. The service's own origin is no exception: by DNS rebinding a hostile page can have it.
 */
export function refuseOtherOrigins(origins: readonly string[]): Step {
  return ({ headers: { origin } }) =>
    origin === undefined || origins.includes(origin)
      ? undefined
      : new Refusal('origin_not_allowed');
}
