import { type DayGrant, isInForce } from '../../domain/plan.ts';
import { standingOf, type Workspace } from '../../domain/workspace.ts';
import { formatInstant } from '../../lib/instant.ts';
import { newKeyView, withoutSecret } from './key.ts';

/** A grant that is over is not shown. */
export function workspaceView(workspace: Workspace, now: number) {
  const { id, name, plan, limits, grant, lowStockAt, createdAt, erasedAt } = workspace;
  return {
    id,
    name,
    plan,
    limits,
    grant: grant && isInForce(grant, now) ? grantView(grant) : undefined,
    lowStockAt,
    createdAt: formatInstant(createdAt),
    ...standingView(workspace),
    erasedAt: formatInstant(erasedAt),
  };
}

export function grantView({ perDay, endsAt }: DayGrant) {
  return { perDay, endsAt: formatInstant(endsAt) };
}

/** The state of a workspace, and what led to it. */
export function standingView(workspace: Workspace) {
  const { state, since, reason, eraseAt } = standingOf(workspace);
  return {
    state,
    stateSince: formatInstant(since),
    stateReason: reason,
    closedBy: state === 'closing' ? workspace.closedBy : undefined,
    eraseAt: formatInstant(eraseAt),
  };
}

type NewKey = Parameters<typeof newKeyView>[0];

export function newWorkspaceView(
  { workspace, key }: { workspace: Workspace; key: NewKey },
  now: number,
) {
  return { workspace: workspaceView(workspace, now), key: newKeyView(key) };
}

/** The response as it is stored for replays. */
export function withoutKeySecret<W>({ workspace, key }: { workspace: W; key: { key?: string } }) {
  return { workspace, key: withoutSecret(key) };
}
