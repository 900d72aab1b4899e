import type { Transaction } from '../../datastore/datastore.ts';
import { RESPONSES_KEPT_MS } from '../../datastore/idempotency.ts';
import { DELETED_MAX } from '../../datastore/runner.ts';
import { DAY_MS, HOUR_MS } from '../../domain/durations.ts';
import type { Clock } from '../../lib/clock.ts';
import { type LeasedStore, LeaseLost } from '../cluster/leases.ts';
import type { Job } from '../cluster/repeat-under-lease.ts';
import { oldestUsage } from '../usage-recorder.ts';

/** The ledger names the session that made a change. For this long after its end, listKeys shows whose session it was. */
const SESSIONS_KEPT_DAYS = 90;

/**
 * A session that cost no quota made no change. It is deleted an hour after it was revoked, when its usage has long been
 * written: otherwise a key could fill the store, since opening and ending a session cost no quota. Usage is kept for longer
 * than these days, so it still tells.
 */
const UNUSED_SESSIONS_DAYS = 7;

/** The strikes of a key count for a day after its last ban or refusal. The second day allows for clocks that differ. */
const BANS_KEPT_DAYS = 2;

/** listAttempts shows the attempts of these days. */
const ATTEMPTS_KEPT_DAYS = 7;

const EVERY_MS = 600_000;
const WORKSPACES_PAGE = 1_000;

interface DeletionOptions {
  clock: Clock;
  /** How many days events are kept. */
  eventDays: number;
  auditDays: number;
  /** How many days the audit log keeps addresses. */
  addressDays: number;
  /** Called for each kind of records that could not be deleted. */
  onFailure: (err: unknown, kind: string) => void;
}

/** Deletes records that no request can ask for any more. */
export function cleanUp(options: DeletionOptions): Job {
  const run: Job['run'] = (store, signal) => deleteExpired(store, options, signal);
  return { name: 'clean-up', everyMs: EVERY_MS, run };
}

/** A kind of records that cannot be deleted does not block the others. A stop waits for one piece. */
async function deleteExpired(store: LeasedStore, options: DeletionOptions, signal: AbortSignal) {
  const { clock, onFailure } = options;
  const kinds = kindsOf({ ...options, store, now: clock.now(), signal });
  for (const [kind, deleteKind] of Object.entries(kinds)) {
    if (signal.aborted) return;
    await deleteKind().catch((err: unknown) => {
      if (err instanceof LeaseLost) throw err;
      onFailure(err, kind);
    });
  }
}

interface Deletion extends Pick<DeletionOptions, 'eventDays' | 'auditDays' | 'addressDays'> {
  store: LeasedStore;
  now: number;
  signal: AbortSignal;
}

function kindsOf({ store, eventDays, auditDays, addressDays, now, signal }: Deletion) {
  const inPieces = (deletePiece: DeletePiece) => () => deleteInPieces(store, deletePiece, signal);
  const old = (...what: Parameters<Transaction['oldRows']['remove']>) =>
    inPieces((tx) => tx.oldRows.remove(...what));
  const usage = oldestUsage(now);
  const daysAgo = (days: number) => now - days * DAY_MS;
  return {
    'responses under an Idempotency-Key': old('responses', now - RESPONSES_KEPT_MS),
    'usage by day': old('usageDays', usage.day),
    'usage by minute': old('usageMinutes', usage.minute),
    sessions: old('sessions', daysAgo(SESSIONS_KEPT_DAYS)),
    'unused sessions': () => deleteUnusedSessions(store, now, signal),
    bans: old('bans', daysAgo(BANS_KEPT_DAYS)),
    events: () => deleteOldEvents(store, daysAgo(eventDays), signal),
    'names of daily events': old('dailyEvents', Math.floor(now / DAY_MS) - 1),
    'attempts of webhooks': () => deleteOldAttempts(store, now, signal),
    'audit log': old('auditLog', daysAgo(auditDays)),
    'addresses of the audit log': old('addresses', daysAgo(addressDays)),
    'log of changes': inPieces((tx) => tx.changes.deleteOld()),
    'commit markers': () => store.tidy(),
  };
}

export function deleteOldAttempts(store: LeasedStore, now: number, signal?: AbortSignal) {
  const before = now - ATTEMPTS_KEPT_DAYS * DAY_MS;
  return deleteInPieces(store, (tx) => tx.oldRows.remove('attempts', before), signal);
}

async function deleteUnusedSessions(store: LeasedStore, now: number, signal: AbortSignal) {
  let place: readonly [number, string] | undefined = [now - UNUSED_SESSIONS_DAYS * DAY_MS, ''];
  while (place && !signal.aborted) {
    const after: readonly [number, string] = place;
    place = await store.transact((tx) => tx.oldRows.removeUnusedSessions(after, now - HOUR_MS));
  }
}

/** Deletes events that were made before this instant. */
export async function deleteOldEvents(
  store: LeasedStore,
  before: number,
  signal?: AbortSignal,
): Promise<void> {
  for (let after = 0; ; ) {
    const feeds = await store.read.events.oldest(after, WORKSPACES_PAGE);
    for (const { workspaceId, at = before } of feeds) {
      if (at >= before) continue;
      await deleteInPieces(store, (tx) => tx.events.deleteOld(workspaceId, before), signal);
    }
    if (signal?.aborted || feeds.length < WORKSPACES_PAGE) return;
    after = feeds.at(-1)!.workspaceId;
  }
}

/** Deletes up to DELETED_MAX records and returns how many. */
type DeletePiece = (tx: Transaction) => Promise<number>;

/** Old records are deleted a piece per transaction, so that nothing waits for long. */
export async function deleteInPieces(
  store: LeasedStore,
  deletePiece: DeletePiece,
  signal?: AbortSignal,
) {
  while (!signal?.aborted && (await store.transact(deletePiece)) === DELETED_MAX);
}
