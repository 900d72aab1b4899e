import { Refusal } from '../../domain/errors.ts';
import type { Step } from './step.ts';

/**
 * Refuses pages of other origins. The service's own origin is no exception: by DNS rebinding a hostile page can have it.
 */
export function refuseOtherOrigins(origins: readonly string[]): Step {
  return ({ headers: { origin } }) =>
    origin === undefined || origins.includes(origin)
      ? undefined
      : new Refusal('origin_not_allowed');
}
