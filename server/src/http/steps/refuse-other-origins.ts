import { Refusal } from '../../domain/errors.ts';
import type { Step } from './step.ts';

/**
 * Refuses pages of other origins. The origin of the service itself is not an exception: a page whose host name was made to
 * point here would have it.
 */
export function refuseOtherOrigins(origins: readonly string[]): Step {
  return ({ headers: { origin } }) =>
    origin === undefined || origins.includes(origin)
      ? undefined
      : new Refusal('origin_not_allowed');
}
