// Suspending, resuming, closing and reopening a workspace. Its row is locked, so of two changes at once the second sees the
// first.

import type { Transaction } from '../../datastore/datastore.ts';
import { noWorkspace, Refusal } from '../../domain/errors.ts';
import type { AuditAction } from '../../domain/logs/audit.ts';
import {
  close,
  GRACE_DAYS,
  reopen,
  resume,
  type Standing,
  standingOf,
  suspend,
  type Workspace,
} from '../../domain/workspace.ts';
import { formatInstant } from '../../lib/instant.ts';
import { emit } from '../events/emit.ts';
import { recordAudit } from '../logs/audit.ts';

interface StateChange {
  id: number;
  now: number;
  /** The key of the owner who makes the change; absent for the operator, whose key is of another workspace. */
  keyId?: string;
}

export function suspendWorkspace(
  tx: Transaction,
  { reason, ...change }: StateChange & { reason: string },
): Promise<Workspace> {
  return changeState(tx, { ...change, action: 'workspace.suspended' }, async (before) => {
    const after = suspend(before, reason, change.now);
    if (after !== before) await refuseOperator(tx, change);
    return after;
  });
}

export function resumeWorkspace(tx: Transaction, change: StateChange): Promise<Workspace> {
  const audited = { ...change, action: 'workspace.resumed' } as const;
  return changeState(tx, audited, async (before) => resume(before, change.now));
}

interface Closing extends StateChange {
  /** The exact name of the workspace. */
  name: string;
  /** From now until its records are deleted. */
  graceDays?: number | undefined;
  reason?: string | undefined;
}

export function closeWorkspace(
  tx: Transaction,
  { name, graceDays = GRACE_DAYS, reason, ...change }: Closing,
): Promise<Workspace> {
  const by = change.keyId === undefined ? 'operator' : 'owner';
  return changeState(tx, { ...change, action: 'workspace.closed' }, async (before) => {
    const after = close(before, { name, by, graceDays, reason, now: change.now });
    if (after !== before) await refuseOperator(tx, change);
    return after;
  });
}

export function reopenWorkspace(tx: Transaction, change: StateChange): Promise<Workspace> {
  const by = change.keyId === undefined ? 'operator' : 'owner';
  const audited = { ...change, action: 'workspace.reopened' } as const;
  return changeState(tx, audited, async (before) => reopen(before, by, change.now));
}

async function changeState(
  tx: Transaction,
  { id, keyId, now, action }: StateChange & { action: AuditAction },
  change: (before: Workspace) => Promise<Workspace>,
): Promise<Workspace> {
  const before = await tx.workspaces.findAndLock(id);
  if (!before) throw noWorkspace(id);
  const after = await change(before);
  if (after === before) return before;
  await tx.workspaces.update(after);
  // Deliveries are found by an index that has no webhook of another workspace than an active one.
  if (standingOf(after).state === 'active') await tx.webhooks.unpauseAll(id, now);
  else await tx.webhooks.pauseAll(id, now);
  const event = { type: 'workspace.updated', data: { workspace: after } } as const;
  const { state } = standingOf(before);
  await emit(tx, { caller: { workspaceId: id, keyId }, now }, { ...event, before: { state } });
  const states = { before: { state }, after: auditedStanding(after) };
  await recordAudit(tx, { workspaceId: id, action, target: 'workspace', ...states, now });
  return after;
}

function auditedStanding(workspace: Workspace) {
  const { state, reason, eraseAt } = standingOf(workspace);
  return {
    state,
    ...(reason === undefined ? {} : { reason }),
    ...(eraseAt === undefined ? {} : { eraseAt: formatInstant(eraseAt) }),
  };
}

/** The service must not lose its operator. */
async function refuseOperator(tx: Transaction, { id, now }: StateChange): Promise<void> {
  if (await tx.keys.hasOperator(id, now)) throw new Refusal('operator_workspace');
}

/** What a request of a workspace that is not active is refused with, unless the operation is served all the same. */
export function standingRefusal({ state, since, reason, eraseAt }: Standing): Refusal {
  if (state === 'suspended') {
    return new Refusal('workspace_suspended', {
      details: { since: formatInstant(since), reason: reason! },
    });
  }
  const instant = formatInstant(eraseAt!);
  return new Refusal('workspace_closing', {
    message: `The workspace is closed and can only be read. It is erased at ${instant}.`,
    details: { eraseAt: instant },
  });
}
