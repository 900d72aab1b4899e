// What /readyz?verbose says about each part of the service. A part is added by adding a check to the list in app.ts.

import { Refusal } from '../domain/errors.ts';
import type { StorageHealth } from './storage-health.ts';

export interface HealthCheck {
  name: 'database' | 'limiter' | 'webhooks' | 'lease';
  /** A check that throws is not ok. */
  run: () => Promise<PartHealth>;
}

export interface PartHealth {
  ok: boolean;
  /** What to do if it is not. */
  action?: string;
  /** Names of hosts and addresses belong here alone: they are shown to requests from this machine only. */
  hosts?: readonly string[];
  [detail: string]: unknown;
}

/** Runs all checks at once. */
export function runChecks(
  checks: readonly HealthCheck[],
): Promise<(PartHealth & { name: string })[]> {
  return Promise.all(
    checks.map(async ({ name, run }) => {
      const failed = { ok: false, action: 'read the log of this node' };
      return { name, ...(await run().catch(() => failed)) };
    }),
  );
}

export function databaseCheck(engine: string, health: StorageHealth): HealthCheck {
  const run = async (): Promise<PartHealth> => {
    try {
      await health.check();
    } catch (err) {
      const action =
        err instanceof Refusal
          ? err.message
          : 'check that the database of PETSTORE_DATABASE_URL runs and can be reached from this node';
      return { ok: false, engine, action };
    }
    const skew = health.clockSkewMs;
    return { ok: true, engine, ...(skew === undefined ? {} : { skewSeconds: skew / 1000 }) };
  };
  return { name: 'database', run };
}
