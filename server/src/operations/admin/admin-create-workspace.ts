import { createWorkspace } from '../../services/workspaces.ts';
import { writeOperation } from '../operation.ts';
import {
  exampleWorkspaceWithKey,
  NewWorkspace,
  NewWorkspaceInput,
  WorkspaceWithKey,
} from '../schemas/workspace.ts';
import { created } from '../success.ts';
import { newWorkspaceView, withoutKeySecret } from '../views/workspace.ts';

export const adminCreateWorkspace = writeOperation({
  id: 'adminCreateWorkspace',
  method: 'POST',
  path: '/admin/workspaces',
  tag: 'admin',
  scope: 'operate',
  summary: 'Create a workspace',
  description: 'Its first key has the scopes `read`, `write` and `manage`.',
  body: NewWorkspace,
  bodyToCheck: NewWorkspaceInput,
  requestExample: { name: 'Happy Paws', plan: 'pro' },
  events: ['key.created'],
  audits: ['workspace.created', 'key.created'],
  success: created(
    WorkspaceWithKey,
    'The workspace and its first key.',
    ({ workspace }) => `/admin/workspaces/${workspace.id}`,
  ),
  example: exampleWorkspaceWithKey,
  handle: async ({ body, now }, tx) =>
    newWorkspaceView(await createWorkspace(tx, { workspace: body, now }), now),
  storable: withoutKeySecret,
});
