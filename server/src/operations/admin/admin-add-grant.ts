import { addGrant } from '../../services/tenants/grants.ts';
import { writeOperation } from '../operation.ts';
import { anyWorkspaceId } from '../parameters.ts';
import { exampleGranted, NewGrant, Workspace } from '../schemas/workspace.ts';
import { record } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const adminAddGrant = writeOperation({
  id: 'adminAddGrant',
  method: 'POST',
  path: '/admin/workspaces/{workspaceId}/grants',
  tag: 'admin',
  scope: 'operate',
  summary: 'Give a workspace extra requests for today',
  description:
    'They count on every node within a second and end with the day, at midnight UTC. Grants of one day add up. A ban of a key stays.',
  params: { workspaceId: anyWorkspaceId },
  body: NewGrant,
  requestExample: { perDay: 500, reason: 'a sale' },
  events: ['workspace.updated'],
  audits: ['grant.added'],
  success: record(Workspace, 'The workspace as it is now.'),
  example: exampleGranted,
  handle: async ({ params, body, now }, tx) => {
    const workspace = await addGrant(tx, { id: params.workspaceId, ...body, now });
    return workspaceView(workspace, now);
  },
});
