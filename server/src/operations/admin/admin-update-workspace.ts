import { updateAnyWorkspace } from '../../services/workspaces.ts';
import { record, writeOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import {
  AdminWorkspacePatch,
  exampleWorkspace,
  Workspace,
  workspaceView,
} from '../schemas/account.ts';

export const adminUpdateWorkspace = writeOperation({
  id: 'adminUpdateWorkspace',
  method: 'PATCH',
  path: '/admin/workspaces/{workspaceId}',
  tag: 'admin',
  scope: 'operate',
  summary: 'Rename any workspace, change its plan or its limits',
  description: '`limits` go with the plan Enterprise, and with no other.',
  params: { workspaceId: pathId('ID of the workspace.') },
  body: AdminWorkspacePatch,
  matches: Workspace,
  success: record(Workspace, 'The workspace as it is now.'),
  example: exampleWorkspace,
  handle: async ({ params, body, checkMatch }, tx) =>
    workspaceView(
      await updateAnyWorkspace(tx, params.workspaceId, body, (workspace) =>
        checkMatch(workspaceView(workspace)),
      ),
    ),
  onCommit: ({ keyRing }) => keyRing.forgetAll(),
});
