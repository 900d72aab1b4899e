import { updateAnyWorkspace } from '../../services/workspaces.ts';
import { writeOperation } from '../operation.ts';
import { anyWorkspaceId } from '../parameters.ts';
import {
  AdminWorkspacePatch,
  AdminWorkspacePatchInput,
  exampleWorkspace,
  Workspace,
} from '../schemas/workspace.ts';
import { record } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const adminUpdateWorkspace = writeOperation({
  id: 'adminUpdateWorkspace',
  method: 'PATCH',
  path: '/admin/workspaces/{workspaceId}',
  tag: 'admin',
  scope: 'operate',
  summary: 'Rename any workspace, change its plan or its limits',
  description:
    'A merge patch of `name`, `plan`, `limits` and `lowStockAt`. `limits` can be set only with the plan Enterprise.',
  params: { workspaceId: anyWorkspaceId },
  body: AdminWorkspacePatch,
  bodyToCheck: AdminWorkspacePatchInput,
  // Empty, because any other example would change the workspace of a reader who sends it.
  requestExample: {},
  isConditional: true,
  events: ['workspace.updated'],
  audits: ['plan.changed', 'workspace.updated', 'limits.changed'],
  success: record(Workspace, 'The workspace as it is now.'),
  example: exampleWorkspace,
  handle: async ({ params, body, checkMatch, now }, tx) => {
    const workspace = await updateAnyWorkspace(tx, {
      id: params.workspaceId,
      patch: body,
      checkMatch: (current) => checkMatch(workspaceView(current, now)),
      now,
    });
    return workspaceView(workspace, now);
  },
});
