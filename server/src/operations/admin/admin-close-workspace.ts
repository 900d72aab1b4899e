import { closeWorkspace } from '../../services/tenants/workspace-states.ts';
import { writeOperation } from '../operation.ts';
import { anyWorkspaceId } from '../parameters.ts';
import { AdminClosing, exampleClosing, Workspace } from '../schemas/workspace.ts';
import { record } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const adminCloseWorkspace = writeOperation({
  id: 'adminCloseWorkspace',
  method: 'POST',
  path: '/admin/workspaces/{workspaceId}/close',
  tag: 'admin',
  scope: 'operate',
  summary: 'Close a workspace',
  description:
    'Until `eraseAt` it can be read and reopened; then its records are deleted. Only an operator reopens it. A workspace that is closing already does not change.',
  params: { workspaceId: anyWorkspaceId },
  body: AdminClosing,
  requestExample: { name: 'Happy Paws', graceDays: 30 },
  events: ['workspace.updated'],
  audits: ['workspace.closed'],
  success: record(Workspace, 'The workspace as it is now.'),
  errors: ['operator_workspace'],
  example: exampleClosing,
  handle: async ({ params, body, now }, tx) => {
    const workspace = await closeWorkspace(tx, { id: params.workspaceId, ...body, now });
    return workspaceView(workspace, now);
  },
});
