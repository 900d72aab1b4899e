import type { Datastore } from '../../datastore/datastore.ts';
import { DAY_MS } from '../../domain/durations.ts';
import type { LimitStore } from '../../limits/limit-store.ts';
import { saveBan } from './bans.ts';

/** The limiter's part of the database. */
export function limitStoreOver(store: Datastore): LimitStore {
  return {
    load: async (workspaceId) => {
      const counters = await store.read.limits.findCounters(workspaceId);
      const bans = await store.read.limits.listBansOf(workspaceId);
      return counters ? { counters, bans } : { bans };
    },
    countAdmitted: async (workspaceId, dayStart) => {
      const day = dayStart / DAY_MS;
      const rows = await store.read.usage.days(workspaceId, day);
      return rows.reduce((sum, row) => (row.day === day ? sum + row.admitted : sum), 0);
    },
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
