import { suspendWorkspace } from '../../services/tenants/workspace-states.ts';
import { writeOperation } from '../operation.ts';
import { anyWorkspaceId } from '../parameters.ts';
import { exampleSuspended, Suspension, Workspace } from '../schemas/workspace.ts';
import { record } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const adminSuspendWorkspace = writeOperation({
  id: 'adminSuspendWorkspace',
  method: 'POST',
  path: '/admin/workspaces/{workspaceId}/suspend',
  tag: 'admin',
  scope: 'operate',
  summary: 'Suspend a workspace',
  description:
    'Every node refuses its requests within a second, except `getWorkspace`, `listPlans` and those of sessions. Nothing is delivered, streamed or expired meanwhile, and nothing is lost. A workspace that is suspended already does not change.',
  params: { workspaceId: anyWorkspaceId },
  body: Suspension,
  requestExample: { reason: 'invoice 42 is unpaid' },
  events: ['workspace.updated'],
  audits: ['workspace.suspended'],
  success: record(Workspace, 'The workspace as it is now.'),
  errors: ['operator_workspace', 'workspace_state'],
  example: exampleSuspended,
  handle: async ({ params, body, now }, tx) => {
    const workspace = await suspendWorkspace(tx, {
      id: params.workspaceId,
      reason: body.reason,
      now,
    });
    return workspaceView(workspace, now);
  },
});
