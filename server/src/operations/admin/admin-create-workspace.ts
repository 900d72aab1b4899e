import { createWorkspace } from '../../services/workspaces.ts';
import { created, writeOperation } from '../operation.ts';
import {
  exampleNewKey,
  exampleWorkspace,
  NewWorkspace,
  newWorkspaceView,
  WorkspaceWithKey,
  withoutSecret,
} from '../schemas/account.ts';

export const adminCreateWorkspace = writeOperation({
  id: 'adminCreateWorkspace',
  method: 'POST',
  path: '/admin/workspaces',
  tag: 'admin',
  scope: 'operate',
  summary: 'Create a workspace',
  description: 'With a first key that holds `read`, `write` and `manage`.',
  body: NewWorkspace,
  success: created(
    WorkspaceWithKey,
    'The workspace and its first key.',
    ({ workspace }) => `/admin/workspaces/${workspace.id}`,
  ),
  example: { workspace: exampleWorkspace, key: exampleNewKey },
  handle: async ({ body, now }, tx) => newWorkspaceView(await createWorkspace(tx, body, now)),
  storable: ({ workspace, key }) => ({ workspace, key: withoutSecret(key) }),
});
