import { reopenWorkspace as reopen } from '../../services/tenants/workspace-states.ts';
import { writeOperation } from '../operation.ts';
import { exampleWorkspace, Workspace } from '../schemas/workspace.ts';
import { record } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const reopenWorkspace = writeOperation({
  id: 'reopenWorkspace',
  method: 'POST',
  path: '/workspace/reopen',
  tag: 'workspace',
  scope: 'manage',
  servedWhile: ['closing'],
  summary: 'Reopen the workspace',
  description:
    'Until `eraseAt`. What the operator closed, only the operator reopens. A workspace that is active already does not change.',
  events: ['workspace.updated'],
  audits: ['workspace.reopened'],
  success: record(Workspace, 'The workspace as it is now.'),
  errors: ['operator_only', 'workspace_state'],
  example: exampleWorkspace,
  handle: async ({ caller: { workspaceId: id, keyId }, now }, tx) => {
    const workspace = await reopen(tx, { id, keyId, now });
    return workspaceView(workspace, now);
  },
});
