import { isInForce, type Limits, type PlanId, planIds } from '../../domain/plan.ts';
import { standingOf, type Workspace } from '../../domain/workspace.ts';
import { formatInstant } from '../../lib/instant.ts';
import { BrokenArchive } from '../../lib/tar.ts';
import { instantIn, textIn, wholeIn } from './fields.ts';
import type { Line } from './noun.ts';

/** The workspace as the API shows it. */
export function workspaceLine(workspace: Workspace, now: number): string {
  const { id, name, plan, limits, grant, lowStockAt, createdAt } = workspace;
  const isGranted = grant !== undefined && isInForce(grant, now);
  const { state, since, reason, eraseAt } = standingOf(workspace);
  return JSON.stringify({
    id,
    name,
    plan,
    limits,
    grant: isGranted ? { ...grant, endsAt: formatInstant(grant.endsAt) } : undefined,
    lowStockAt,
    createdAt: formatInstant(createdAt),
    state,
    stateSince: formatInstant(since),
    stateReason: reason,
    eraseAt: eraseAt === undefined ? undefined : formatInstant(eraseAt),
  });
}

export type NewWorkspace = Pick<Workspace, 'name' | 'plan' | 'limits' | 'createdAt' | 'lowStockAt'>;

/** The workspace that a line makes. It is active, whatever state it had. */
export function workspaceIn({ name, plan, limits, createdAt, lowStockAt }: Line): NewWorkspace {
  const { perMinute, perDay } = (limits ?? {}) as Partial<Limits>;
  if (!planIds.includes(plan as PlanId)) throw new BrokenArchive('plan is none');
  return {
    name: textIn(name),
    plan: plan as PlanId,
    limits: { perMinute: wholeIn(perMinute), perDay: wholeIn(perDay) },
    createdAt: instantIn(createdAt),
    ...(lowStockAt === undefined ? {} : { lowStockAt: wholeIn(lowStockAt) }),
  };
}
