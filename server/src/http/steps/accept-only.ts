import { Refusal } from '../../domain/errors.ts';
import type { Step } from './step.ts';

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
