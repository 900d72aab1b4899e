import type { Datastore } from '../datastore/datastore.ts';
import type { UsageRecorder } from './usage.ts';

/** Deletes records that no request can ask for any more. */
export async function deleteExpired(
  store: Datastore,
  usage: UsageRecorder,
  now: number,
): Promise<void> {
  await store.transact((tx) => tx.idempotency.deleteOld(now));
  await usage.forgetOld();
  await store.tidy?.();
}
