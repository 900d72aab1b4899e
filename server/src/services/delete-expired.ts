import type { Datastore } from '../datastore/datastore.ts';
import { forgetOldEvents, numberAll } from './event-feed.ts';
import type { UsageRecorder } from './usage.ts';
import { forgetOldAttempts } from './webhooks.ts';

const DAY_MS = 86_400_000;

interface Expired {
  store: Datastore;
  usage: UsageRecorder;
  now: number;
  /** How many days events are kept. */
  eventDays: number;
}

/** Deletes records that no request can ask for any more. */
export async function deleteExpired({ store, usage, now, eventDays }: Expired): Promise<void> {
  await store.transact((tx) => tx.idempotency.deleteOld(now));
  await usage.forgetOld();
  await numberAll(store);
  await forgetOldEvents(store, now - eventDays * DAY_MS);
  await store.transact((tx) => tx.events.forgetDaysBefore(Math.floor(now / DAY_MS) - 1));
  await forgetOldAttempts(store, now);
  await store.tidy?.();
}
