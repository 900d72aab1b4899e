// Paths of the documentation that responses link to. They are relative references: the service knows neither the
// scheme nor the host that its clients use.

import type { ErrorCode } from '../domain/errors.ts';

export const ERRORS_PATH = '/docs/errors';
export const GUIDE_PATH = '/docs/guide';
export const DEPRECATION_URL = `${GUIDE_PATH}#deprecation`;

/** The entry of an error code in the reference. */
export function docUrlOf(code: ErrorCode): string {
  return `${ERRORS_PATH}#${code}`;
}
