import { standingOf, type Workspace } from '../../domain/workspace.ts';
import { formatInstant } from '../../lib/instant.ts';
import { newKeyView, withoutSecret } from './key.ts';

export function workspaceView(workspace: Workspace) {
  const { id, name, plan, limits, lowStockAt, createdAt, erasedAt } = workspace;
  const { state, since, reason, eraseAt } = standingOf(workspace);
  return {
    id,
    name,
    plan,
    limits,
    ...(lowStockAt === undefined ? {} : { lowStockAt }),
    createdAt: formatInstant(createdAt),
    state,
    stateSince: formatInstant(since),
    ...(reason === undefined ? {} : { stateReason: reason }),
    ...(eraseAt === undefined ? {} : { eraseAt: formatInstant(eraseAt) }),
    ...(erasedAt === undefined ? {} : { erasedAt: formatInstant(erasedAt) }),
  };
}

type NewKey = Parameters<typeof newKeyView>[0];

export function newWorkspaceView({ workspace, key }: { workspace: Workspace; key: NewKey }) {
  return { workspace: workspaceView(workspace), key: newKeyView(key) };
}

/** The response as it is stored for replays. */
export function withoutKeySecret<W>({ workspace, key }: { workspace: W; key: { key?: string } }) {
  return { workspace, key: withoutSecret(key) };
}
