import type { Datastore } from '../../datastore/datastore.ts';
import type { Clock } from '../../lib/clock.ts';
import { forgetOldEvents, numberAll } from '../event-feed.ts';
import type { UsageRecorder } from '../usage.ts';
import { forgetOldAttempts } from '../webhooks.ts';

const DAY_MS = 86_400_000;
/** The ledger names the session that made a change; for this long listKeys says whose session it was. */
const SESSIONS_KEPT_DAYS = 90;

const EVERY_MS = 600_000;

interface Expired {
  store: Datastore;
  usage: UsageRecorder;
  /** How many days events are kept. */
  eventDays: number;
}

interface Periodically extends Expired {
  clock: Clock;
  onFailure: (err: unknown) => void;
}

/** Deletes records that no request can ask for any more, now and from time to time. Returns the function that stops it. */
export function deletePeriodically({ clock, onFailure, ...expired }: Periodically): () => void {
  const run = () => void deleteExpired(expired, clock.now()).catch(onFailure);
  run();
  const timer = setInterval(run, EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function deleteExpired({ store, usage, eventDays }: Expired, now: number): Promise<void> {
  await store.transact((tx) => tx.idempotency.deleteOld(now));
  await usage.forgetOld();
  await store.transact((tx) =>
    tx.keys.deleteSessionsEndedBefore(now - SESSIONS_KEPT_DAYS * DAY_MS),
  );
  await numberAll(store);
  await forgetOldEvents(store, now - eventDays * DAY_MS);
  await store.transact((tx) => tx.events.forgetDaysBefore(Math.floor(now / DAY_MS) - 1));
  await forgetOldAttempts(store, now);
  await store.tidy?.();
}
