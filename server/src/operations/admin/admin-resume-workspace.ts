import { resumeWorkspace } from '../../services/tenants/workspace-states.ts';
import { writeOperation } from '../operation.ts';
import { anyWorkspaceId } from '../parameters.ts';
import { exampleWorkspace, Workspace } from '../schemas/workspace.ts';
import { record } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const adminResumeWorkspace = writeOperation({
  id: 'adminResumeWorkspace',
  method: 'POST',
  path: '/admin/workspaces/{workspaceId}/resume',
  tag: 'admin',
  scope: 'operate',
  summary: 'Resume a suspended workspace',
  description:
    'All goes on: webhooks are delivered from where they were, and orders whose time has come end. A workspace that is active already does not change.',
  params: { workspaceId: anyWorkspaceId },
  events: ['workspace.updated'],
  audits: ['workspace.resumed'],
  success: record(Workspace, 'The workspace as it is now.'),
  errors: ['workspace_state'],
  example: exampleWorkspace,
  handle: async ({ params, now }, tx) => {
    const workspace = await resumeWorkspace(tx, { id: params.workspaceId, now });
    return workspaceView(workspace, now);
  },
});
