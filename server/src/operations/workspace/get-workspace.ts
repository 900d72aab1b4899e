import { noWorkspace } from '../../domain/errors.ts';
import { readOperation } from '../operation.ts';
import { exampleWorkspace, Workspace } from '../schemas/workspace.ts';
import { record } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const getWorkspace = readOperation({
  id: 'getWorkspace',
  method: 'GET',
  path: '/workspace',
  tag: 'workspace',
  scope: 'read',
  servedWhile: ['suspended', 'closing'],
  summary: 'Get the workspace of the key',
  success: record(Workspace, 'The workspace.'),
  example: exampleWorkspace,
  handle: async ({ caller, now }, store) => {
    const workspace = await store.workspaces.find(caller.workspaceId);
    if (!workspace) throw noWorkspace(caller.workspaceId);
    return workspaceView(workspace, now);
  },
});
