import { updateOwnWorkspace } from '../../services/workspaces.ts';
import { record, writeOperation } from '../operation.ts';
import { exampleWorkspace, Workspace, WorkspacePatch, workspaceView } from '../schemas/account.ts';

export const updateWorkspace = writeOperation({
  id: 'updateWorkspace',
  method: 'PATCH',
  path: '/workspace',
  tag: 'workspace',
  scope: 'manage',
  summary: 'Rename the workspace or change its plan',
  description:
    'A new plan is effective at once; what was used stays used. Enterprise is the operator’s to give.',
  body: WorkspacePatch,
  matches: Workspace,
  success: record(Workspace, 'The workspace as it is now.'),
  example: exampleWorkspace,
  handle: async ({ caller, body, checkMatch }, tx) =>
    workspaceView(
      await updateOwnWorkspace(tx, caller, body, (workspace) =>
        checkMatch(workspaceView(workspace)),
      ),
    ),
  onCommit: ({ keyRing }) => keyRing.forgetAll(),
});
