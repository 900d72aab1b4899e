import { type KeyRecord, scopes } from '../../domain/key.ts';
import { LIMIT_MAX, planIds } from '../../domain/plan.ts';
import type { Workspace as WorkspaceRecord } from '../../domain/workspace.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { CreatedKey } from '../../services/keys.ts';
import type { CreatedWorkspace } from '../../services/workspaces.ts';
import { choice, count, id, instant, name } from './fields.ts';
import { Type } from './type.ts';

const OVERLAP_SECONDS_MAX = 30 * 86_400;
const workspaceName = name('What the store is called.', 'Happy Paws');
const keyName = name('What the key is for.', 'web shop');
const planId = choice(planIds, 'The plan.');
const scopeList = Type.Unsafe<(typeof scopes)[number][]>({
  type: 'array',
  items: { type: 'string', enum: scopes },
  minItems: 1,
  uniqueItems: true,
  description: 'What the key may do; no scope implies another.',
});

export const LimitsSchema = Type.Object(
  {
    perMinute: count('Requests per minute.', 1, LIMIT_MAX),
    perDay: count('Requests per day.', 1, LIMIT_MAX),
  },
  { title: 'Limits', additionalProperties: false },
);

const LimitsPatch = Type.Partial(LimitsSchema, {
  title: 'LimitsPatch',
  additionalProperties: false,
});

export const Workspace = Type.Object(
  {
    id: id('Unique identifier.'),
    name: workspaceName,
    plan: planId,
    limits: LimitsSchema,
    createdAt: instant('When it was created.'),
  },
  { title: 'Workspace', additionalProperties: false },
);

export const WorkspacePatch = Type.Object(
  { name: Type.Optional(workspaceName), plan: Type.Optional(planId) },
  { title: 'WorkspacePatch', additionalProperties: false },
);

export const NewWorkspace = Type.Object(
  { name: workspaceName, plan: Type.Optional(planId), limits: Type.Optional(LimitsSchema) },
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

export const Key = Type.Object(
  {
    id: Type.String({ description: 'Names the key; it is the first part of it.' }),
    name: keyName,
    hint: Type.String({ description: 'The first characters of the key.' }),
    scopes: scopeList,
    createdAt: instant('When it was created.'),
    expiresAt: Type.Optional(instant('When it ends, if it does.')),
    lastUsedAt: Type.Optional(instant('When it was last used, to within some seconds.')),
    revokedAt: Type.Optional(instant('When it was revoked.')),
    key: Type.Optional(
      Type.String({ description: 'The key itself: only in the answer that creates it.' }),
    ),
  },
  { title: 'Key', additionalProperties: false },
);

export const NewKey = Type.Object(
  {
    name: keyName,
    scopes: scopeList,
    expiresAt: Type.Optional(instant('When it is to end.')),
  },
  { title: 'NewKey', additionalProperties: false },
);

export const Rotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      count('How long the old key lives on; a day if absent.', 0, OVERLAP_SECONDS_MAX),
    ),
  },
  { title: 'Rotation', additionalProperties: false },
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

export const exampleKey = {
  id: '3ZrHIxYjJZft',
  name: 'web shop',
  hint: 'psk_3ZrHIxYj',
  scopes: ['read', 'write'],
  createdAt: '2026-11-15T09:00:00Z',
};

export const exampleNewKey = {
  ...exampleKey,
  key: 'psk_ followed by 50 letters and digits, shown this once',
};

export function workspaceView(workspace: WorkspaceRecord) {
  return { ...workspace, createdAt: formatInstant(workspace.createdAt) };
}

export function keyView(key: KeyRecord) {
  const { id, name, hint, createdAt, expiresAt, lastUsedAt, revokedAt } = key;
  return {
    id,
    name,
    hint,
    scopes: [...key.scopes],
    createdAt: formatInstant(createdAt),
    ...(expiresAt === undefined ? {} : { expiresAt: formatInstant(expiresAt) }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt: formatInstant(lastUsedAt) }),
    ...(revokedAt === undefined ? {} : { revokedAt: formatInstant(revokedAt) }),
  };
}

export function newKeyView({ record, key }: CreatedKey) {
  return { ...keyView(record), key };
}

export function newWorkspaceView({ workspace, key }: CreatedWorkspace) {
  return { workspace: workspaceView(workspace), key: newKeyView(key) };
}

/** An answer as it is stored for repetitions: without the secret. */
export function withoutSecret<T extends { key?: string }>({ key: _, ...rest }: T): Omit<T, 'key'> {
  return rest;
}
