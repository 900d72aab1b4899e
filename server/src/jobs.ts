import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Datastore } from './datastore/datastore.ts';
import type { ReadCache } from './http/read-cache.ts';
import type { Clock } from './lib/clock.ts';
import type { ChangeLog } from './services/cluster/change-log.ts';
import { type FindLease, Leases } from './services/cluster/leases.ts';
import type { EventHub } from './services/events/event-hub.ts';
import { numberPeriodically } from './services/events/numbering.ts';
import type { OnDelay } from './services/events/read-feed.ts';
import { ExpirySweep } from './services/expiry.ts';
import { trimPeriodically } from './services/logs/trim-request-log.ts';
import { deletePeriodically } from './services/maintenance/delete-expired.ts';
import type { StorageHealth } from './services/storage-health.ts';
import { erasePeriodically } from './services/tenants/erase-workspaces.ts';

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
  return new Leases({
    store,
    clock,
    holder: randomUUID(),
    checkReady: () => storageHealth.check(),
    onFailure: (err) => log.warn({ err }, 'the leases of jobs were not renewed; trying again'),
  });
}

/** Starts what one node at a time does for all. */
export async function startJobs(config: Config, parts: JobParts, opened: AsyncDisposableStack) {
  const { store, leases, clock, log, isSweeping, onDelay } = parts;
  const warn = (message: string) => (err: unknown) => log.warn({ err }, message);
  const findLease: FindLease = leases ? leases.find : () => store;
  await leases?.start();
  opened.defer(() => leases?.stop());
  opened.defer(
    deletePeriodically({
      clock,
      findLease,
      eventDays: config.PETSTORE_EVENTS_DAYS,
      auditDays: config.PETSTORE_AUDIT_DAYS,
      addressDays: config.PETSTORE_AUDIT_ADDRESS_DAYS,
      onFailure: (err, kind) =>
        log.warn({ err, kind }, 'expired records were not deleted; the next run tries again'),
    }),
  );
  if (config.PETSTORE_REQUEST_LOG_DAYS > 0) {
    const onFailure = warn('old requests were not deleted; the next run tries again');
    const days = config.PETSTORE_REQUEST_LOG_DAYS;
    opened.defer(trimPeriodically({ clock, days, findLease, onFailure }));
  }
  const onUnnumbered = warn('events were not numbered; the next run tries again');
  opened.defer(numberPeriodically({ findLease, onDelay, onFailure: onUnnumbered }));
  const onUnerased = warn('workspaces were not erased; the next run tries again');
  opened.defer(erasePeriodically({ clock, findLease, onFailure: onUnerased }));
  if (!isSweeping) return;
  const sweep = openSweep(parts);
  parts.changes.listen(sweep);
  opened.defer(sweep.start(findLease));
}

/** When the sweep ends an order, the cached responses of its workspace are dropped and its streams are notified. */
function openSweep({ clock, log, readCache, hub }: JobParts): ExpirySweep {
  return new ExpirySweep({
    clock,
    onChange: (workspaceId) => {
      readCache?.noteChange(workspaceId);
      hub.notify(workspaceId);
    },
    onFailure: (err) =>
      log.warn({ err }, 'overdue orders were not ended; the next sweep tries again'),
  });
}
