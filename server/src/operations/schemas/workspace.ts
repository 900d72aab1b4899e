import { Type } from 'typebox';
import { LIMIT_MAX, planIds } from '../../domain/plan.ts';
import { choice, count, id, instant, name } from './fields.ts';
import { exampleNewKey, Key } from './key.ts';

const workspaceName = name('The name of the store.', 'Happy Paws');
const planId = choice(planIds, 'The plan.');

const Limits = Type.Object(
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
    createdAt: instant('When it was created.'),
  },
  { title: 'Workspace', additionalProperties: false },
);

export const WorkspacePatch = Type.Object(
  { name: Type.Optional(workspaceName), plan: Type.Optional(planId) },
  { title: 'WorkspacePatch', additionalProperties: false },
);

export const NewWorkspace = Type.Object(
  { name: workspaceName, plan: Type.Optional(planId), limits: Type.Optional(Limits) },
  { title: 'NewWorkspace', additionalProperties: false },
);

export const AdminWorkspacePatch = Type.Object(
  {
    name: Type.Optional(workspaceName),
    plan: Type.Optional(planId),
    limits: Type.Optional(LimitsPatch),
  },
  { title: 'AdminWorkspacePatch', additionalProperties: false },
);

export const SignUp = Type.Object(
  { name: workspaceName },
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
