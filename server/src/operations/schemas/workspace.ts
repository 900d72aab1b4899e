import { LIMIT_MAX, planIds } from '../../domain/plan.ts';
import { STOCK_MAX } from '../../domain/stock.ts';
import { choice, count, id, instant, name, newName } from './fields.ts';
import { exampleNewKey, Key } from './key.ts';
import { Type } from './type.ts';

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

export const Limits = Type.Object(
  {
    perMinute: count('Requests per minute.', 1, LIMIT_MAX),
    perDay: count('Requests per day.', 1, LIMIT_MAX),
  },
  { title: 'Limits', additionalProperties: false },
);

const LimitsPatch = Type.Partial(Limits, { title: 'LimitsPatch', additionalProperties: false });

export const Workspace = Type.Object(
  {
    id: id('Unique identifier.'),
    name: workspaceName,
    plan: planId,
    limits: Limits,
    lowStockAt: Type.Optional(lowStockAt),
    createdAt: instant('When it was created.'),
  },
  { title: 'Workspace', additionalProperties: false },
);

export const WorkspacePatch = Type.Object(
  {
    name: Type.Optional(newWorkspaceName),
    plan: Type.Optional(planId),
    lowStockAt: Type.Optional(clearableLowStockAt),
  },
  { title: 'WorkspacePatch', additionalProperties: false },
);

const newWorkspace = {
  name: newWorkspaceName,
  plan: Type.Optional(planId),
  limits: Type.Optional(Limits),
};

export const NewWorkspace = Type.Object(newWorkspace, {
  title: 'NewWorkspace',
  additionalProperties: false,
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

export const AdminWorkspacePatch = Type.Object(adminWorkspacePatch, {
  title: 'AdminWorkspacePatch',
  additionalProperties: false,
  oneOf: [
    { not: { required: ['limits'], properties: { limits: {} } } },
    { required: ['limits'], properties: { plan: { enum: ['enterprise'] } } },
  ],
});

/** Without `oneOf`, like NewWorkspaceInput. */
export const AdminWorkspacePatchInput = Type.Object(adminWorkspacePatch, {
  additionalProperties: false,
});

export const SignUp = Type.Object(
  { name: newWorkspaceName },
  { title: 'SignUp', additionalProperties: false },
);

export const WorkspaceWithKey = Type.Object(
  { workspace: Workspace, key: Key },
  { title: 'WorkspaceWithKey', additionalProperties: false },
);

export const exampleWorkspace = {
  id: 1,
  name: 'default',
  plan: 'free',
  limits: { perMinute: 60, perDay: 1000 },
  createdAt: '2026-11-15T09:00:00Z',
};

export const exampleWorkspaceWithKey = { workspace: exampleWorkspace, key: exampleNewKey };
