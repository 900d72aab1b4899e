import type { Transaction } from '../datastore/datastore.ts';
import { invalidField, Refusal } from '../domain/errors.ts';
import type { Caller } from '../domain/key.ts';
import { type Limits, limitsOf, type PlanId } from '../domain/plan.ts';
import type { Workspace } from '../domain/workspace.ts';
import { type CreatedKey, createKey } from './keys.ts';
import type { CheckMatch } from './pets.ts';

export interface WorkspaceChange {
  name?: string;
  plan?: PlanId;
  /** Numbers that are not given stay as they were agreed. */
  limits?: Partial<Limits>;
}

export interface CreatedWorkspace {
  workspace: Workspace;
  key: CreatedKey;
}

/** A store of its own, with a key that can do everything in it and nothing outside. */
export async function createWorkspace(
  tx: Transaction,
  input: WorkspaceChange & { name: string },
  now: number,
): Promise<CreatedWorkspace> {
  const plan = input.plan ?? 'free';
  const limits = chosenLimits(plan, input.limits, undefined);
  const { name } = input;
  const workspace = await tx.workspaces.create({ name, plan, limits, createdAt: now });
  const scopes = ['read', 'write', 'manage'] as const;
  const key = await createKey(tx, workspace.id, { name: 'first key', scopes }, now);
  return { workspace, key };
}

/** What a store may change of itself: Enterprise is the operator's to give. */
export async function updateOwnWorkspace(
  tx: Transaction,
  caller: Caller,
  change: Omit<WorkspaceChange, 'limits'>,
  checkMatch: CheckMatch<Workspace>,
): Promise<Workspace> {
  const before = await getWorkspace(tx, caller.workspaceId);
  checkMatch(before);
  if (change.plan === 'enterprise' && before.plan !== 'enterprise') {
    throw new Refusal('insufficient_scope', {
      message: 'Enterprise is agreed individually: ask the operator of the service.',
      details: { scope: 'operate' },
    });
  }
  return save(tx, before, change);
}

export async function updateAnyWorkspace(
  tx: Transaction,
  id: number,
  change: WorkspaceChange,
  checkMatch: CheckMatch<Workspace>,
): Promise<Workspace> {
  const before = await getWorkspace(tx, id);
  checkMatch(before);
  return save(tx, before, change);
}

async function save(tx: Transaction, before: Workspace, change: WorkspaceChange) {
  const plan = change.plan ?? before.plan;
  const agreed = before.plan === 'enterprise' ? before.limits : undefined;
  const limits = chosenLimits(plan, change.limits, agreed);
  const after: Workspace = { ...before, name: change.name ?? before.name, plan, limits };
  await tx.workspaces.update(after);
  return after;
}

function chosenLimits(
  plan: PlanId,
  given: Partial<Limits> | undefined,
  agreed: Limits | undefined,
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

async function getWorkspace(tx: Transaction, id: number): Promise<Workspace> {
  const workspace = await tx.workspaces.findAndLock(id);
  if (!workspace) throw new Refusal('not_found');
  return workspace;
}
