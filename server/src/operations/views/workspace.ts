import { type DayGrant, isInForce } from '../../domain/plan.ts';
import { standingOf, type Workspace } from '../../domain/workspace.ts';
import { formatInstant } from '../../lib/instant.ts';
import { newKeyView, withoutSecret } from './key.ts';

/** A grant that is over is not shown. */
export function workspaceView(workspace: Workspace, now: number) {
  const { id, name, plan, limits, grant, lowStockAt, createdAt, erasedAt } = workspace;
  const { state, since, reason, eraseAt } = standingOf(workspace);
  return {
    id,
    name,
    plan,
    limits,
    ...(grant && isInForce(grant, now) ? { grant: grantView(grant) } : {}),
    ...(lowStockAt === undefined ? {} : { lowStockAt }),
    createdAt: formatInstant(createdAt),
    state,
    stateSince: formatInstant(since),
    ...(reason === undefined ? {} : { stateReason: reason }),
    ...(eraseAt === undefined ? {} : { eraseAt: formatInstant(eraseAt) }),
    ...(erasedAt === undefined ? {} : { erasedAt: formatInstant(erasedAt) }),
  };
}

export function grantView({ perDay, endsAt }: DayGrant) {
  return { perDay, endsAt: formatInstant(endsAt) };
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
