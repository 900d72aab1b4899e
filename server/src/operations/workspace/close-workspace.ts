import { closeWorkspace as close } from '../../services/tenants/workspace-states.ts';
import { writeOperation } from '../operation.ts';
import { Closing, exampleClosing, Workspace } from '../schemas/workspace.ts';
import { record } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const closeWorkspace = writeOperation({
  id: 'closeWorkspace',
  method: 'POST',
  path: '/workspace/close',
  tag: 'workspace',
  scope: 'manage',
  servedWhile: ['closing'],
  summary: 'Close the workspace',
  description:
    'For 30 days it can be read and reopened; then its records are deleted. `name` must be its exact name. A workspace that is closing already does not change.',
  body: Closing,
  requestExample: { name: 'Happy Paws' },
  events: ['workspace.updated'],
  audits: ['workspace.closed'],
  success: record(Workspace, 'The workspace as it is now.'),
  errors: ['operator_workspace'],
  example: exampleClosing,
  handle: async ({ caller: { workspaceId: id, keyId }, body, now }, tx) => {
    const workspace = await close(tx, { id, keyId, name: body.name, now });
    return workspaceView(workspace, now);
  },
});
