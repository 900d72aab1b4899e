import { createWorkspace } from '../../services/workspaces.ts';
import { writeOperation } from '../operation.ts';
import { exampleWorkspaceWithKey, SignUp, WorkspaceWithKey } from '../schemas/workspace.ts';
import { created } from '../success.ts';
import { newWorkspaceView, withoutKeySecret } from '../views/workspace.ts';

export const signUp = writeOperation({
  id: 'signUp',
  method: 'POST',
  path: '/signup',
  tag: 'workspace',
  scope: 'none',
  summary: 'Create a workspace of your own',
  description: 'The workspace is on the plan Free and has a first key. 404 unless sign-up is open.',
  isOffered: ({ isSignupOpen }) => isSignupOpen,
  body: SignUp,
  requestExample: { name: 'Happy Paws' },
  events: ['key.created'],
  audits: ['workspace.created', 'key.created'],
  success: created(WorkspaceWithKey, 'The workspace and its first key.'),
  example: exampleWorkspaceWithKey,
  handle: async ({ body, now }, tx) =>
    newWorkspaceView(await createWorkspace(tx, { workspace: body, now }), now),
  storable: withoutKeySecret,
});
