import { reopenWorkspace } from '../../services/tenants/workspace-states.ts';
import { writeOperation } from '../operation.ts';
import { anyWorkspaceId } from '../parameters.ts';
import { exampleWorkspace, Workspace } from '../schemas/workspace.ts';
import { record } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const adminReopenWorkspace = writeOperation({
  id: 'adminReopenWorkspace',
  method: 'POST',
  path: '/admin/workspaces/{workspaceId}/reopen',
  tag: 'admin',
  scope: 'operate',
  summary: 'Reopen a workspace that is closing',
  description:
    'It gets back the state that it had before: active or suspended. A workspace that is active already does not change.',
  params: { workspaceId: anyWorkspaceId },
  events: ['workspace.updated'],
  audits: ['workspace.reopened'],
  success: record(Workspace, 'The workspace as it is now.'),
  errors: ['workspace_state'],
  example: exampleWorkspace,
  handle: async ({ params, now }, tx) => {
    const workspace = await reopenWorkspace(tx, { id: params.workspaceId, now });
    return workspaceView(workspace, now);
  },
});
