import type { Transaction } from '../datastore/datastore.ts';
import { invalidField, noWorkspace, Refusal } from '../domain/errors.ts';
import type { Caller } from '../domain/key.ts';
import { type Limits, limitsOf, type PlanId } from '../domain/plan.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { RecordChange } from './change.ts';
import { type CreatedKey, createKey } from './keys.ts';

export interface NewWorkspace {
  name: string;
  plan?: PlanId;
  limits?: Limits;
}

export interface WorkspacePatch {
  name?: string;
  plan?: PlanId;
  /** An absent number stays as it is. */
  limits?: Partial<Limits>;
}

export interface CreatedWorkspace {
  workspace: Workspace;
  key: CreatedKey;
}

/** Creates a workspace with a first key, which can do everything in it and nothing outside. */
export async function createWorkspace(
  tx: Transaction,
  { workspace: { name, ...wanted }, now }: { workspace: NewWorkspace; now: number },
): Promise<CreatedWorkspace> {
  const plan = wanted.plan ?? 'free';
  const limits = chosenLimits(plan, { given: wanted.limits });
  const workspace = await tx.workspaces.create({ name, plan, limits, createdAt: now });
  const key = await createKey(tx, {
    workspaceId: workspace.id,
    key: { name: 'first key', scopes: ['read', 'write', 'manage'] },
    now,
  });
  return { workspace, key };
}

type WorkspaceUpdate = Pick<RecordChange<Workspace>, 'id' | 'checkMatch'> & {
  patch: WorkspacePatch;
};

/** Changes the workspace of the caller. Only the operator of the service assigns the plan Enterprise. */
export function updateOwnWorkspace(
  tx: Transaction,
  { caller, patch, checkMatch }: Omit<RecordChange<Workspace>, 'id'> & { patch: WorkspacePatch },
): Promise<Workspace> {
  const checkPlan = (before: Workspace) => {
    checkMatch(before);
    if (patch.plan === 'enterprise' && before.plan !== 'enterprise')
      throw enterpriseRefusal(caller);
  };
  return updateAnyWorkspace(tx, { id: caller.workspaceId, patch, checkMatch: checkPlan });
}

function enterpriseRefusal({ scopes, workspaceId }: Caller): Refusal {
  if (scopes.includes('operate')) {
    return new Refusal('operator_only', {
      message: `This operation does not assign Enterprise. Call adminUpdateWorkspace: PATCH /v1/admin/workspaces/${workspaceId} with plan and limits.`,
      details: { operationId: 'adminUpdateWorkspace' },
    });
  }
  return new Refusal('insufficient_scope', {
    message: 'The plan Enterprise is agreed individually. Ask the operator of the service.',
    details: { scope: 'operate' },
  });
}

/** Changes any workspace, for the operator of the service. */
export async function updateAnyWorkspace(
  tx: Transaction,
  { id, patch, checkMatch }: WorkspaceUpdate,
): Promise<Workspace> {
  const before = await tx.workspaces.findAndLock(id);
  if (!before) throw noWorkspace(id);
  checkMatch(before);
  const { name = before.name, plan = before.plan } = patch;
  const agreed = before.plan === 'enterprise' ? before.limits : undefined;
  const limits = chosenLimits(plan, { given: patch.limits, agreed });
  const after: Workspace = { ...before, name, plan, limits };
  await tx.workspaces.update(after);
  return after;
}

/** The limits of a plan; for Enterprise, the given numbers over the agreed ones. */
function chosenLimits(
  plan: PlanId,
  { given, agreed }: { given?: Partial<Limits> | undefined; agreed?: Limits | undefined },
): Limits {
  if (plan !== 'enterprise') {
    if (given) throw invalidField('limits', 'can be set only with the plan enterprise');
    return limitsOf(plan, undefined);
  }
  const { perMinute, perDay } = { ...agreed, ...given };
  if (perMinute === undefined || perDay === undefined) {
    throw invalidField('limits', 'must name perMinute and perDay with the plan enterprise');
  }
  return { perMinute, perDay };
}
