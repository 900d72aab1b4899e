import type { Deprecations } from '../services/usage-report.ts';
import type { Operation } from './operation.ts';

/** The deprecated operations among these, for the usage report. */
export function deprecationsOf(operations: readonly Operation[]): Deprecations {
  return new Map(
    operations.flatMap(({ id, deprecation }) =>
      deprecation
        ? [[id, { sunset: deprecation.sunset, successor: deprecation.successor }] as const]
        : [],
    ),
  );
}
