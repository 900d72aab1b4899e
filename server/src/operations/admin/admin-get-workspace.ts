import { noWorkspace } from '../../domain/errors.ts';
import { readOperation } from '../operation.ts';
import { anyWorkspaceId } from '../parameters.ts';
import { exampleWorkspace, Workspace } from '../schemas/workspace.ts';
import { record } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const adminGetWorkspace = readOperation({
  id: 'adminGetWorkspace',
  method: 'GET',
  path: '/admin/workspaces/{workspaceId}',
  tag: 'admin',
  scope: 'operate',
  summary: 'Get any workspace',
  params: { workspaceId: anyWorkspaceId },
  success: record(Workspace, 'The workspace.'),
  example: exampleWorkspace,
  handle: async ({ params, now }, store) => {
    const workspace = await store.workspaces.find(params.workspaceId);
    if (!workspace) throw noWorkspace(params.workspaceId);
    return workspaceView(workspace, now);
  },
});
