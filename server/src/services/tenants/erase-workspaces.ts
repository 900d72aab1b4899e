// Erases workspaces whose time has come, on the node that has the lease. Every transaction deletes few rows, so the others do
// not notice, and one that was interrupted is continued where it ended.

import type { Transaction } from '../../datastore/datastore.ts';
import type { Row } from '../../datastore/runner.ts';
import type { Table } from '../../datastore/table.ts';
import { ERASED_MAX, erasedTables } from '../../datastore/tenants/erasure.ts';
import { NO_WORKSPACE } from '../../domain/workspace.ts';
import { type Clock, patientClock } from '../../lib/clock.ts';
import type { LeasedStore } from '../cluster/leases.ts';
import type { Job } from '../cluster/repeat-under-lease.ts';
import { recordAudit } from '../logs/audit.ts';

const EVERY_MS = 2_000;

/** On SQLite the time is that of this process: a clock that is set ahead while it runs erases nothing early. */
export function erasing(clock: Clock): Job {
  const patient = patientClock(clock);
  const run: Job['run'] = (store, signal) => eraseWorkspaces(store, patient, signal);
  return { name: 'erasing', everyMs: EVERY_MS, run };
}

export async function eraseWorkspaces(store: LeasedStore, clock: Clock, signal?: AbortSignal) {
  let hasErased = false;
  for (const { workspaceId, isLast } of await store.read.erasure.due(clock.now())) {
    await store.transact((tx) => begin(tx, workspaceId, clock.now()));
    for (const table of erasedTables) {
      hasErased = (await deleteRows(store, { workspaceId, table }, signal)) || hasErased;
    }
    for (const owner of [NO_WORKSPACE, ...(await store.read.keys.listOperatingWorkspaces())]) {
      hasErased = (await deleteResponses(store, { workspaceId, owner }, signal)) || hasErased;
    }
    if (signal?.aborted) return;
    await store.transact((tx) => tx.erasure.end(workspaceId, { isLast, nodeNow: clock.now() }));
  }
  // The log of SQLite still holds what was deleted.
  if (hasErased) await store.tidy();
}

/** Returns whether there were any. */
async function deleteRows(
  store: LeasedStore,
  { workspaceId, table }: { workspaceId: number; table: Table },
  signal?: AbortSignal,
): Promise<boolean> {
  let [deleted, sum] = [ERASED_MAX, 0];
  for (let after: Row | undefined; deleted === ERASED_MAX && !signal?.aborted; sum += deleted) {
    const place = after;
    const piece = await store.transact((tx) => tx.erasure.deleteRows(workspaceId, table, place));
    ({ deleted, end: after } = piece);
  }
  return sum > 0;
}

/** Returns whether there were any. */
async function deleteResponses(
  store: LeasedStore,
  { workspaceId, owner }: { workspaceId: number; owner: number },
  signal?: AbortSignal,
): Promise<boolean> {
  let sum = 0;
  for (let next: string | undefined = ''; next !== undefined && !signal?.aborted; ) {
    const after: string = next;
    const piece = await store.transact((tx) =>
      tx.erasure.deleteResponses(workspaceId, owner, after),
    );
    sum += piece.deleted;
    next = piece.end;
  }
  return sum > 0;
}

async function begin(tx: Transaction, workspaceId: number, now: number): Promise<void> {
  if (!(await tx.erasure.begin(workspaceId, now))) return;
  const change = { before: { state: 'closing' }, after: { state: 'erased' }, now };
  await recordAudit(tx, {
    workspaceId,
    action: 'workspace.erased',
    target: 'workspace',
    ...change,
  });
}
