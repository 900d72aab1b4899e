import type { Datastore } from '../../datastore/datastore.ts';
import { DELETED_MAX } from '../../datastore/idempotency.ts';
import type { Clock } from '../../lib/clock.ts';
import { forgetOldEvents, numberAll } from '../events.ts';
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

/** Deletes records that no request can ask for any more, now and periodically. Returns the function that stops it. */
export function deletePeriodically(options: Periodically): () => Promise<void> {
  const { clock, onFailure, ...expired } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= deleteExpired(expired, clock.now(), stopping.signal)
      .catch(onFailure)
      .finally(() => {
        running = undefined;
      });
  };
  run();
  const timer = setInterval(run, EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
}

/** Old records are deleted a piece per transaction, so that nothing waits for long. A stop waits for one piece. */
async function deleteExpired(
  { store, usage, eventDays }: Expired,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const deleteAnswers = () => store.transact((tx) => tx.idempotency.deleteOld(now));
  while (!signal.aborted && (await deleteAnswers()) === DELETED_MAX);
  if (signal.aborted) return;
  await usage.forgetOld();
  await store.transact((tx) =>
    tx.keys.deleteSessionsEndedBefore(now - SESSIONS_KEPT_DAYS * DAY_MS),
  );
  await numberAll(store);
  await forgetOldEvents(store, now - eventDays * DAY_MS, signal);
  if (signal.aborted) return;
  await store.transact((tx) => tx.events.forgetDaysBefore(Math.floor(now / DAY_MS) - 1));
  await forgetOldAttempts(store, now, signal);
  if (signal.aborted) return;
  await store.tidy?.();
}
