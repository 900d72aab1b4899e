// What /readyz?verbose says about each part of the service. A part is added by adding a check to the list in
// configured-health.ts.

import type { Delays } from '../datastore/webhooks/due.ts';
import { Refusal } from '../domain/errors.ts';
import type { Leases } from './cluster/leases.ts';
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

/** How long a webhook that is due waits for a node at most, while all is well. */
const WEBHOOK_LAG_MAX_MS = 30_000;
/** How long an event waits for its number at most, if a webhook waits for it and all is well. */
const AWAITED_MAX_MS = 10_000;
/** The same for any event: those that no webhook waits for get their numbers when they are read, or once a minute. */
const FEED_DELAY_MAX_MS = 120_000;

type PartReport = PartHealth & { name: HealthCheck['name'] };
/** Returns what each part of the service is like. */
export type ReadHealth = () => Promise<readonly PartReport[]>;

/** Runs all checks at once. */
export function runChecks(checks: readonly HealthCheck[]): Promise<PartReport[]> {
  return Promise.all(
    checks.map(async ({ name, run }) => {
      const failed = { ok: false, action: 'read the log of this node' };
      return { name, ...(await run().catch(() => failed)) };
    }),
  );
}

interface DatabasePlace {
  engine: 'sqlite' | 'postgresql';
  pooling?: string;
  /** All servers of the URL. */
  hosts?: readonly string[];
}

const databaseActions: Record<DatabasePlace['engine'], string> = {
  sqlite: 'check the disk of PETSTORE_DATA_DIR, and that this user may read and write there',
  postgresql:
    'no primary answers: check that a server of PETSTORE_DATABASE_URL runs, is not in recovery and can be reached from this node',
};

/** `place` is what is known of the database without asking it, and `hostInUse` the server that answers. */
export function databaseCheck(
  place: DatabasePlace,
  { health, hostInUse }: { health: StorageHealth; hostInUse: () => string | undefined },
): HealthCheck {
  const run = async (): Promise<PartHealth> => {
    try {
      await health.check();
    } catch (err) {
      const action = err instanceof Refusal ? err.message : databaseActions[place.engine];
      return { ok: false, ...place, action };
    }
    const [skew, host] = [health.clockSkewMs, hostInUse()];
    if (skew === undefined || host === undefined) return { ok: true, ...place };
    // A server in recovery is never used, so what answers is the primary.
    return { ok: true, ...place, role: 'primary', hosts: [host], skewSeconds: skew / 1000 };
  };
  return { name: 'database', run };
}

interface WebhooksState {
  /** Whether this node can read the secrets of webhooks. */
  isAvailable: boolean;
  /** Whether this node delivers. */
  isOn: boolean;
  delays: () => Promise<Delays>;
}

/** Webhooks wait for a node that delivers, and for the numbers of new events. */
export function webhooksCheck({ isAvailable, isOn, delays }: WebhooksState): HealthCheck {
  const run = async (): Promise<PartHealth> => {
    const { feedMs, awaitedMs, webhookMs } = await delays();
    const figures = {
      delivering: isAvailable && isOn,
      lagSeconds: webhookMs / 1000,
      feedDelaySeconds: feedMs / 1000,
    };
    if (awaitedMs > AWAITED_MAX_MS || feedMs > FEED_DELAY_MAX_MS) {
      const action =
        'find the transaction that holds a row of event_heads, in pg_locks, and end it: new events wait for it';
      return { ok: false, ...figures, action };
    }
    if (webhookMs > WEBHOOK_LAG_MAX_MS) {
      const action =
        'webhooks are due and no node delivers: check PETSTORE_WEBHOOKS, PETSTORE_SECRET_KEY and the load of all nodes';
      return { ok: false, ...figures, action };
    }
    return { ok: true, ...figures };
  };
  return { name: 'webhooks', run };
}

/** Some node has to do each job that concerns all workspaces. Without leases this node does all of them. */
export function leaseCheck(leases: Leases | undefined): HealthCheck {
  const run = async (): Promise<PartHealth> => {
    if (!leases) return { ok: true, shared: false };
    const { held, missing } = await leases.survey();
    const part = { ok: missing.length === 0, shared: true, held };
    const action = 'no node does these jobs: check the clocks of all nodes, then their logs';
    return part.ok ? part : { ...part, missing, action };
  };
  return { name: 'lease', run };
}
