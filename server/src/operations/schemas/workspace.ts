import { LIMIT_MAX, planIds } from '../../domain/plan.ts';
import { STOCK_MAX } from '../../domain/stock.ts';
import { closers, GRACE_DAYS, GRACE_DAYS_MAX, workspaceStates } from '../../domain/workspace.ts';
import { choice, count, id, instant, name, newName, object, text } from './fields.ts';
import { exampleNewKey, Key } from './key.ts';
import { Type } from './type.ts';

const REASON_MAX = 500;
const workspaceName = name('The name of the store.', 'Happy Paws');
const newWorkspaceName = newName('The name of the store.', 'Happy Paws');
const planId = choice(planIds, 'The plan.');
const fixedPlanIds = planIds.filter((id) => id !== 'enterprise');
const lowStockAt = count(
  '`inventory.low` is emitted when the available units of a pet fall to this number; never if absent.',
  0,
  STOCK_MAX,
);
const clearableLowStockAt = Type.Unsafe<number | null>({
  ...lowStockAt,
  nullable: true,
  description: 'The number of available units at which `inventory.low` is emitted; null clears it.',
});

export const Limits = object('Limits', {
  perMinute: count('Requests per minute.', 1, LIMIT_MAX),
  perDay: count('Requests per day.', 1, LIMIT_MAX),
});

const LimitsPatch = Type.Partial(Limits, { title: 'LimitsPatch', additionalProperties: false });

const Grant = object('Grant', {
  perDay: count('Requests that an operator added for this UTC day.', 1, LIMIT_MAX),
  endsAt: instant('When the day ends.'),
});

/** The state of a workspace, as it and its sessions show it. */
export const standing = {
  state: choice(workspaceStates, 'While it is not `active`, few requests are served.'),
  stateSince: instant('Since when it has this state.'),
  stateReason: Type.Optional(text('Why, in the words of the operator.', REASON_MAX)),
  closedBy: Type.Optional(
    choice(closers, 'Who closed it. What the operator closed, only the operator reopens.'),
  ),
  eraseAt: Type.Optional(instant('When its records are deleted, while it is `closing`.')),
};

export const Workspace = object('Workspace', {
  id: id('Unique identifier.'),
  name: workspaceName,
  plan: planId,
  limits: Limits,
  grant: Type.Optional(Grant),
  lowStockAt: Type.Optional(lowStockAt),
  createdAt: instant('When it was created.'),
  ...standing,
  erasedAt: Type.Optional(instant('When it was erased.')),
});

export const WorkspacePatch = object('WorkspacePatch', {
  name: Type.Optional(newWorkspaceName),
  plan: Type.Optional(planId),
  lowStockAt: Type.Optional(clearableLowStockAt),
});

const newWorkspace = {
  name: newWorkspaceName,
  plan: Type.Optional(planId),
  limits: Type.Optional(Limits),
};

export const NewWorkspace = object('NewWorkspace', newWorkspace, {
  oneOf: [
    {
      not: { required: ['limits'], properties: { limits: {} } },
      properties: { plan: { enum: fixedPlanIds } },
    },
    { required: ['plan', 'limits'], properties: { plan: { enum: ['enterprise'] } } },
  ],
});

/** Without `oneOf`, whose faults are hard to read: the service names the fault itself. */
export const NewWorkspaceInput = Type.Object(newWorkspace, { additionalProperties: false });

const adminWorkspacePatch = {
  name: Type.Optional(newWorkspaceName),
  plan: Type.Optional(planId),
  limits: Type.Optional(LimitsPatch),
  lowStockAt: Type.Optional(clearableLowStockAt),
};

export const AdminWorkspacePatch = object('AdminWorkspacePatch', adminWorkspacePatch, {
  oneOf: [
    { not: { required: ['limits'], properties: { limits: {} } } },
    { required: ['limits'], properties: { plan: { enum: ['enterprise'] } } },
  ],
});

/** Without `oneOf`, like NewWorkspaceInput. */
export const AdminWorkspacePatchInput = Type.Object(adminWorkspacePatch, {
  additionalProperties: false,
});

const exactName = text('The exact name of the workspace.', 200, 1);
const reason = text('Why. The owner sees it.', REASON_MAX, 1);

export const Suspension = object('Suspension', { reason });

export const NewGrant = object('NewGrant', {
  perDay: count('Requests to add to this UTC day.', 1, LIMIT_MAX),
  reason,
});

export const Closing = object('Closing', { name: exactName });

export const AdminClosing = object('AdminClosing', {
  name: exactName,
  graceDays: Type.Optional(
    count(`Days until its records are deleted; ${GRACE_DAYS} if absent.`, 0, GRACE_DAYS_MAX),
  ),
  reason: Type.Optional(reason),
});

export const SignUp = object('SignUp', { name: newWorkspaceName });

export const WorkspaceWithKey = object('WorkspaceWithKey', { workspace: Workspace, key: Key });

export const exampleWorkspace = {
  id: 1,
  name: 'default',
  plan: 'free',
  limits: { perMinute: 60, perDay: 1000 },
  createdAt: '2026-11-15T09:00:00Z',
  state: 'active',
  stateSince: '2026-11-15T09:00:00Z',
};

export const exampleGranted = {
  ...exampleWorkspace,
  id: 2,
  name: 'Happy Paws',
  grant: { perDay: 500, endsAt: '2026-11-19T00:00:00Z' },
};

export const exampleSuspended = {
  ...exampleWorkspace,
  id: 2,
  name: 'Happy Paws',
  state: 'suspended',
  stateSince: '2026-11-18T09:00:00Z',
  stateReason: 'invoice 42 is unpaid',
};

export const exampleClosing = {
  ...exampleWorkspace,
  id: 2,
  name: 'Happy Paws',
  state: 'closing',
  stateSince: '2026-11-18T09:00:00Z',
  closedBy: 'owner',
  eraseAt: '2026-12-18T09:00:00Z',
};

export const exampleWorkspaceWithKey = { workspace: exampleWorkspace, key: exampleNewKey };
