import type { Datastore } from '../datastore/datastore.ts';
import type { LimitStore } from '../limits/limit-store.ts';

/** The limiter's part of the database. */
export function limitStoreOver(store: Datastore): LimitStore {
  return {
    load: async (workspaceId) => {
      const counters = await store.read.limits.findCounters(workspaceId);
      const bans = await store.read.limits.listBansOf(workspaceId);
      return counters ? { counters, bans } : { bans };
    },
    saveCounters: (workspaceId, counters) =>
      store.transact((tx) => tx.limits.saveCounters(workspaceId, counters)),
    saveBan: (keyId, workspaceId, { since, until, strikes, lastRefusalAt }) =>
      store.transact((tx) =>
        tx.limits.saveBan({ keyId, workspaceId, since, until, strikes, lastRefusalAt }),
      ),
    findBan: (keyId) => store.read.limits.findBan(keyId),
    listBans: async (now, workspaceId) => {
      const bans = await (workspaceId === undefined
        ? store.read.limits.listBansInForce(now)
        : store.read.limits.listBansOf(workspaceId));
      return bans.filter(({ until }) => until > now);
    },
    liftBan: (keyId, now) => store.transact((tx) => tx.limits.liftBan(keyId, now)),
  };
}
