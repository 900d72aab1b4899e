import type { Datastore, Transaction } from '../datastore/datastore.ts';
import type { StoredBan } from '../domain/ban.ts';
import { DAY_MS } from '../domain/durations.ts';
import { formatInstant } from '../lib/instant.ts';
import type { LimitStore } from '../limits/limiter.ts';
import { emit } from './events/emit.ts';
import { recordAudit } from './logs/audit.ts';

/** The limiter's part of the database. */
export function limitStoreOver(store: Datastore): LimitStore {
  return {
    load: async (workspaceId) => {
      const counters = await store.read.limits.findCounters(workspaceId);
      const bans = await store.read.limits.listBansOf(workspaceId);
      return counters ? { counters, bans } : { bans };
    },
    countAdmitted: (workspaceId, dayStart) =>
      store.read.usage.admittedOn(workspaceId, dayStart / DAY_MS),
    saveCounters: (workspaceId, counters) =>
      store.transact((tx) => tx.limits.saveCounters(workspaceId, counters)),
    saveBan: (keyId, workspaceId, ban) =>
      store.transact((tx) => saveBan(tx, { keyId, workspaceId, ...ban })),
    findBan: (keyId) => store.read.limits.findBan(keyId),
    listBans: async (now, workspaceId) => {
      const bans = await (workspaceId === undefined
        ? store.read.limits.listBansInForce(now)
        : store.read.limits.listBansOf(workspaceId));
      return bans.filter(({ until }) => until > now);
    },
  };
}

/** Stores a ban as it stands, and emits `ban.started` if it is a new one. */
export async function saveBan(tx: Transaction, ban: StoredBan): Promise<void> {
  const { keyId, workspaceId } = ban;
  // Nodes may save a ban at the same time. The key is locked because a first ban has no row yet.
  await tx.keys.findAndLock(workspaceId, keyId);
  const known = await tx.limits.findBan(keyId);
  await tx.limits.saveBan(ban);
  if (!isNew(ban, known)) return;
  const caller = { workspaceId, keyId };
  await emit(tx, { caller, now: ban.since }, { type: 'ban.started', data: { ban: shown(ban) } });
  const after = { until: formatInstant(ban.until), strikes: ban.strikes };
  const target = `key:${keyId}`;
  await recordAudit(tx, { workspaceId, action: 'ban.started', target, after, now: ban.since });
}

/** Ends a ban; its strikes stay. False if the key is not banned. */
export async function liftBan(
  tx: Transaction,
  { keyId, now }: { keyId: string; now: number },
): Promise<boolean> {
  const ban = await tx.limits.findBan(keyId);
  if (!ban || !(await tx.limits.liftBan(ban, now))) return false;
  const caller = { workspaceId: ban.workspaceId };
  const lifted = shown({ ...ban, until: now });
  await emit(tx, { caller, now }, { type: 'ban.lifted', data: { ban: lifted } });
  await recordAudit(tx, {
    workspaceId: ban.workspaceId,
    action: 'ban.lifted',
    target: `key:${keyId}`,
    before: { until: formatInstant(ban.until) },
    after: { until: formatInstant(now) },
    now,
  });
  return true;
}

/**
 * Whether to report the ban. A ban is saved more than once. Nodes that decide alone may each ban the key: such bans
 * overlap, have the same strikes, and are reported once.
 */
function isNew(ban: StoredBan, known: StoredBan | undefined): boolean {
  if (ban.until <= ban.since) return false;
  if (!known) return true;
  return ban.since !== known.since && (ban.strikes !== known.strikes || ban.since >= known.until);
}

function shown({ quietSince: _, ...ban }: StoredBan) {
  return ban;
}
