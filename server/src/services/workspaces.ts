import type { Datastore, Transaction } from '../datastore/datastore.ts';
import { invalidField, noWorkspace, Refusal } from '../domain/errors.ts';
import { type Scope, scopes } from '../domain/key.ts';
import type { AuditAction } from '../domain/logs/audit.ts';
import { type Limits, limitsOf, type PlanId } from '../domain/plan.ts';
import type { Workspace } from '../domain/workspace.ts';
import { generateApiKey } from '../lib/api-key.ts';
import type { RecordChange } from './change.ts';
import { changedFields, emit } from './events/emit.ts';
import { type CreatedKey, createKey } from './keys.ts';
import { recordAudit } from './logs/audit.ts';

const ownerScopes: readonly Scope[] = ['read', 'write', 'manage'];

interface NewWorkspace {
  name: string;
  plan?: PlanId;
  limits?: Limits;
}

interface WorkspacePatch {
  name?: string;
  plan?: PlanId;
  /** An absent number stays as it is. */
  limits?: Partial<Limits>;
  /** Null clears it. */
  lowStockAt?: number | null;
}

interface CreatedWorkspace {
  workspace: Workspace;
  key: CreatedKey;
}

interface WorkspaceCreation {
  workspace: NewWorkspace;
  now: number;
  /** If absent, a new key that can do everything in the workspace and nothing outside. */
  firstKey?: { scopes: readonly Scope[]; text: string };
}

/** Creates a workspace with a first key. */
export async function createWorkspace(
  tx: Transaction,
  { workspace: { name, ...wanted }, now, firstKey }: WorkspaceCreation,
): Promise<CreatedWorkspace> {
  const plan = wanted.plan ?? 'free';
  const limits = chosenLimits(plan, { given: wanted.limits });
  const workspace = await tx.workspaces.create({ name, plan, limits, createdAt: now });
  const { id: workspaceId } = workspace;
  const after = { name, plan, limits };
  await recordAudit(tx, {
    workspaceId,
    action: 'workspace.created',
    target: 'workspace',
    after,
    now,
  });
  const { scopes = ownerScopes, text } = firstKey ?? {};
  const key = await createKey(tx, {
    workspaceId,
    key: { name: 'first key', scopes },
    now,
    text,
  });
  return { workspace, key };
}

type WorkspaceUpdate = Pick<RecordChange<Workspace>, 'id' | 'checkMatch' | 'now'> & {
  patch: WorkspacePatch;
  /** The key that makes the change; absent for the operator, whose key is of another workspace. */
  keyId?: string;
};

type OwnUpdate = Omit<RecordChange<Workspace>, 'id'> & {
  patch: WorkspacePatch;
  /** The plans between which an owner may change. */
  selfServicePlans: readonly PlanId[];
};

/** Changes the workspace of the caller. It leaves and takes only plans that an owner may choose. */
export function updateOwnWorkspace(
  tx: Transaction,
  { caller, patch, selfServicePlans, checkMatch, now }: OwnUpdate,
): Promise<Workspace> {
  const checkPlan = (before: Workspace) => {
    checkMatch(before);
    const { plan = before.plan } = patch;
    if (plan === before.plan) return;
    if ([plan, before.plan].every((id) => selfServicePlans.includes(id))) return;
    throw new Refusal('plan_by_operator', { details: { plans: selfServicePlans } });
  };
  const { workspaceId: id, keyId } = caller;
  return updateAnyWorkspace(tx, { id, keyId, patch, checkMatch: checkPlan, now });
}

/** Changes any workspace, for the operator of the service. */
export async function updateAnyWorkspace(
  tx: Transaction,
  { id, keyId, patch, checkMatch, now }: WorkspaceUpdate,
): Promise<Workspace> {
  const before = await tx.workspaces.findAndLock(id);
  if (!before) throw noWorkspace(id);
  checkMatch(before);
  const { name = before.name, plan = before.plan } = patch;
  const agreed = before.plan === 'enterprise' ? before.limits : undefined;
  const limits = chosenLimits(plan, { given: patch.limits, agreed });
  const { lowStockAt: earlier, ...rest } = before;
  const lowStockAt = patch.lowStockAt === undefined ? earlier : (patch.lowStockAt ?? undefined);
  const threshold = lowStockAt === undefined ? {} : { lowStockAt };
  const after: Workspace = { ...rest, name, plan, limits, ...threshold };
  const changed = changedFields(before, after, ['name', 'plan', 'limits', 'lowStockAt']);
  if (!changed) return before;
  await tx.workspaces.update(after);
  const event = { type: 'workspace.updated', data: { workspace: after }, before: changed } as const;
  await emit(tx, { caller: { workspaceId: id, keyId }, now }, event);
  await recordChanges(tx, { before, after, now });
  return after;
}

/** A change of the plan brings its limits along. */
async function recordChanges(
  tx: Transaction,
  { before, after, now }: { before: Workspace; after: Workspace; now: number },
): Promise<void> {
  const hasNewPlan = before.plan !== after.plan;
  const rows: [AuditAction, (keyof Workspace)[]][] = [
    ['workspace.updated', ['name', 'lowStockAt']],
    hasNewPlan ? ['plan.changed', ['plan', 'limits']] : ['limits.changed', ['limits']],
  ];
  for (const [action, names] of rows) {
    const fields = changedFields(before, after, names);
    if (!fields) continue;
    const shown = Object.keys(fields).map((name) => [name, after[name as keyof Workspace] ?? null]);
    const change = { before: fields, after: Object.fromEntries(shown) };
    await recordAudit(tx, { workspaceId: after.id, action, target: 'workspace', ...change, now });
  }
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

interface Bootstrap {
  now: number;
  /** The text of the first key; generated if undefined. */
  keyText?: string | undefined;
  /** Called before the key is committed. If it throws, nothing is kept: a key that was not shown would be lost. */
  announce?: (key: string) => void;
}

/**
 * Creates one workspace and one key with all scopes in an empty database. Returns the key, or undefined if the database
 * was not empty.
 */
export async function bootstrap(
  store: Datastore,
  { now, keyText = generateApiKey().key, announce }: Bootstrap,
): Promise<string | undefined> {
  let isAnnounced = false;
  return store.transact(async (tx) => {
    if (!(await tx.workspaces.lockIfEmpty())) return undefined;
    const firstKey = { scopes, text: keyText };
    await createWorkspace(tx, { workspace: { name: 'default' }, now, firstKey });
    // The datastore may run a unit of work again.
    if (!isAnnounced) announce?.(keyText);
    isAnnounced = true;
    return keyText;
  });
}
