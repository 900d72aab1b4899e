import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Datastore } from './datastore/datastore.ts';
import type { ReadCache } from './http/read-cache.ts';
import type { Clock } from './lib/clock.ts';
import type { ChangeLog } from './services/cluster/change-log.ts';
import { type FindLease, type JobName, jobNames, Leases } from './services/cluster/leases.ts';
import { type Job, repeatUnderLease } from './services/cluster/repeat-under-lease.ts';
import type { EventHub } from './services/events/event-hub.ts';
import { numbering } from './services/events/numbering.ts';
import type { OnDelay } from './services/events/read-feed.ts';
import { ExpirySweep } from './services/expiry.ts';
import { trimming } from './services/logs/trim-request-log.ts';
import { cleanUp } from './services/maintenance/delete-expired.ts';
import type { StorageHealth } from './services/storage-health.ts';
import { erasing } from './services/tenants/erase-workspaces.ts';

interface JobParts {
  store: Datastore;
  clock: Clock;
  /** Undefined where this is the only node. */
  leases: Leases | undefined;
  isSweeping: boolean;
  onDelay: OnDelay;
  log: Logger;
  readCache: ReadCache | undefined;
  hub: EventHub;
  changes: ChangeLog;
}

type LeaseParts = Pick<JobParts, 'store' | 'clock' | 'log'> & { storageHealth: StorageHealth };

/** On SQLite this process is the only node, so it needs no leases. */
export function openLeases(
  config: Config,
  { store, clock, log, storageHealth }: LeaseParts,
): Leases | undefined {
  if (config.PETSTORE_DATABASE_URL === undefined) return undefined;
  const keepsRequests = config.PETSTORE_REQUEST_LOG_DAYS > 0;
  return new Leases({
    store,
    clock,
    jobs: jobNames.filter((name) => name !== 'request-log' || keepsRequests),
    holder: randomUUID(),
    checkReady: () => storageHealth.check(),
    onFailure: (err) => log.warn({ err }, 'the leases of jobs were not renewed; trying again'),
  });
}

const failures: Record<JobName, string> = {
  'clean-up': 'expired records were not deleted; the next run tries again',
  erasing: 'workspaces were not erased; the next run tries again',
  expiry: 'overdue orders were not ended; the next sweep tries again',
  numbering: 'events were not numbered; the next run tries again',
  'request-log': 'old requests were not deleted; the next run tries again',
};

/** Starts what one node at a time does for all. */
export async function startJobs(config: Config, parts: JobParts, opened: AsyncDisposableStack) {
  const { store, leases, log } = parts;
  const findLease: FindLease = leases ? leases.find : () => store;
  await leases?.start();
  opened.defer(() => leases?.stop());
  for (const job of jobsOf(config, parts)) {
    const onFailure = (err: unknown) => log.warn({ err }, failures[job.name]);
    opened.defer(repeatUnderLease(job, { findLease, onFailure }));
  }
}

function jobsOf(config: Config, parts: JobParts): Job[] {
  const { clock, log, isSweeping, onDelay, changes } = parts;
  const requestDays = config.PETSTORE_REQUEST_LOG_DAYS;
  const jobs = [
    cleanUp({
      clock,
      eventDays: config.PETSTORE_EVENTS_DAYS,
      auditDays: config.PETSTORE_AUDIT_DAYS,
      addressDays: config.PETSTORE_AUDIT_ADDRESS_DAYS,
      onFailure: (err, kind) => log.warn({ err, kind }, failures['clean-up']),
    }),
    ...(requestDays > 0 ? [trimming(clock, requestDays)] : []),
    numbering(onDelay),
    erasing(clock),
  ];
  if (!isSweeping) return jobs;
  const sweep = openSweep(parts);
  changes.listen(sweep);
  return [...jobs, sweep.job];
}

/** When the sweep ends an order, the cached responses of its workspace are dropped and its streams are notified. */
function openSweep({ clock, log, readCache, hub }: JobParts): ExpirySweep {
  return new ExpirySweep({
    clock,
    onChange: (workspaceId) => {
      readCache?.noteChange(workspaceId);
      hub.notify(workspaceId);
    },
    onFailure: (err) => log.warn({ err }, failures.expiry),
  });
}
