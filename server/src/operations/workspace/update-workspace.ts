import { updateOwnWorkspace } from '../../services/workspaces.ts';
import { writeOperation } from '../operation.ts';
import { exampleWorkspace, Workspace, WorkspacePatch } from '../schemas/workspace.ts';
import { record } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const updateWorkspace = writeOperation({
  id: 'updateWorkspace',
  method: 'PATCH',
  path: '/workspace',
  tag: 'workspace',
  scope: 'manage',
  summary: 'Rename the workspace or change its plan',
  description:
    'A merge patch of `name`, `plan` and `lowStockAt`. A new plan takes effect at once on this node and within a second on all others; the counters stay. The operator of the service says between which plans an owner may change; Enterprise is never one of them unless it is named.',
  body: WorkspacePatch,
  // Empty, because any other example would change the workspace of a reader who sends it.
  requestExample: {},
  isConditional: true,
  events: ['workspace.updated'],
  audits: ['workspace.updated', 'plan.changed', 'limits.changed'],
  success: record(Workspace, 'The workspace as it is now.'),
  errors: ['plan_by_operator'],
  example: exampleWorkspace,
  handle: async ({ caller, body, checkMatch, now }, tx, { selfServicePlans }) => {
    const workspace = await updateOwnWorkspace(tx, {
      caller,
      patch: body,
      selfServicePlans,
      checkMatch: (current) => checkMatch(workspaceView(current, now)),
      now,
    });
    return workspaceView(workspace, now);
  },
});
