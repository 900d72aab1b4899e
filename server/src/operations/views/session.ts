import { formatInstant } from '../../lib/instant.ts';
import type { Session } from '../../services/sessions.ts';
import { standingView } from './workspace.ts';

export function sessionView({ key, workspace }: Session, eventsCursor: string) {
  return {
    workspaceId: workspace.id,
    workspaceName: workspace.name,
    plan: workspace.plan,
    limits: workspace.limits,
    lowStockAt: workspace.lowStockAt,
    ...standingView(workspace),
    scopes: [...key.scopes],
    keyId: key.id,
    expiresAt: formatInstant(key.expiresAt!),
    eventsCursor,
  };
}
