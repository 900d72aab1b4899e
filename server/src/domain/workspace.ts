// What a workspace is, and how it is suspended, closed and erased. Suspension and closing are facts of their own, and the
// state follows from them: a workspace that was suspended before it was closed is suspended again when it is reopened.

import { DAY_MS } from './durations.ts';
import { invalidField, Refusal } from './errors.ts';
import type { DayGrant, Limits, PlanId } from './plan.ts';

export const workspaceStates = ['active', 'suspended', 'closing', 'erased'] as const;
export type WorkspaceState = (typeof workspaceStates)[number];

/** Whose is what concerns the service itself: commands, and requests without a valid key. No workspace has this id. */
export const NO_WORKSPACE = 0;

/** Instants are epoch milliseconds. */
export interface Lifecycle {
  createdAt: number;
  /** When it was last resumed or reopened; absent if it has been active since it was created. */
  activeSince?: number;
  suspendedAt?: number;
  suspendReason?: string;
  closedAt?: number;
  closedBy?: Closer;
  closeReason?: string;
  /** When its records are deleted. */
  eraseAt?: number;
  erasedAt?: number;
}

export interface Workspace extends Lifecycle {
  id: number;
  name: string;
  plan: PlanId;
  limits: Limits;
  /** What an operator added last; it may be over. */
  grant?: DayGrant;
  /** `inventory.low` is emitted when the available units of a pet fall to this number; never if absent. */
  lowStockAt?: number;
}

export const closers = ['owner', 'operator'] as const;
type Closer = (typeof closers)[number];

/** The state of a workspace, as the API shows it. */
export interface Standing {
  state: WorkspaceState;
  since: number;
  reason?: string;
  eraseAt?: number;
}

export const GRACE_DAYS_MAX = 365;
export const GRACE_DAYS = 30;

export function standingOf(life: Lifecycle): Standing {
  const { createdAt, activeSince, suspendedAt, suspendReason, closedAt, closeReason } = life;
  const { eraseAt, erasedAt } = life;
  if (erasedAt !== undefined) return { state: 'erased', since: erasedAt };
  if (closedAt !== undefined) {
    const reason = closeReason === undefined ? {} : { reason: closeReason };
    return { state: 'closing', since: closedAt, ...reason, eraseAt: eraseAt! };
  }
  if (suspendedAt !== undefined) {
    return { state: 'suspended', since: suspendedAt, reason: suspendReason! };
  }
  return { state: 'active', since: activeSince ?? createdAt };
}

// Each of the following returns the workspace as it is afterwards: the same one if it has that state already.

export function suspend<W extends Workspace>(workspace: W, reason: string, now: number): W {
  const { state } = standingOf(workspace);
  if (state === 'suspended') return workspace;
  if (state === 'closing') throw impossible(workspace, 'suspended', 'Reopen it first.');
  return { ...workspace, suspendedAt: now, suspendReason: reason };
}

export function resume<W extends Workspace>(workspace: W, now: number): W {
  const { state } = standingOf(workspace);
  if (state === 'active') return workspace;
  if (state === 'closing') throw impossible(workspace, 'resumed', 'Reopen it first.');
  const { suspendedAt: _at, suspendReason: _reason, ...rest } = workspace;
  return { ...rest, activeSince: now } as W;
}

interface Closing {
  /** Must be the name of the workspace, so that none is closed by mistake. */
  name: string;
  by: Closer;
  graceDays: number;
  reason?: string | undefined;
  now: number;
}

export function close<W extends Workspace>(workspace: W, closing: Closing): W {
  const { name, by, graceDays, reason, now } = closing;
  const { state } = standingOf(workspace);
  if (name !== workspace.name) throw invalidField('name', 'must be the name of the workspace');
  if (state === 'closing') return workspace;
  const given = reason === undefined ? {} : { closeReason: reason };
  const eraseAt = now + graceDays * DAY_MS;
  return { ...workspace, closedAt: now, closedBy: by, ...given, eraseAt };
}

export function reopen<W extends Workspace>(workspace: W, by: Closer, now: number): W {
  const { state } = standingOf(workspace);
  if (state === 'active') return workspace;
  if (state === 'suspended') throw impossible(workspace, 'reopened', 'Resume it instead.');
  const { closedBy, eraseAt, id } = workspace;
  if (closedBy === 'operator' && by === 'owner') {
    throw new Refusal('operator_only', {
      message:
        'The operator of the service closed this workspace, and only the operator reopens it.',
      details: { operationId: 'adminReopenWorkspace' },
    });
  }
  if (eraseAt! <= now) {
    throw impossible(workspace, 'reopened', `Workspace ${id} is being erased.`);
  }
  const {
    closedAt: _at,
    closedBy: _by,
    closeReason: _reason,
    eraseAt: _erase,
    ...rest
  } = workspace;
  const isActive = rest.suspendedAt === undefined;
  return { ...rest, ...(isActive ? { activeSince: now } : {}) } as W;
}

function impossible(workspace: Workspace, change: string, remedy: string): Refusal {
  const { state } = standingOf(workspace);
  return new Refusal('workspace_state', {
    message: `A workspace that is ${state} cannot be ${change}. ${remedy}`,
    details: { state },
  });
}
