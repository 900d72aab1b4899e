import { createWorkspace } from '../../services/workspaces.ts';
import { created, writeOperation } from '../operation.ts';
import {
  exampleNewKey,
  exampleWorkspace,
  newWorkspaceView,
  SignUp,
  WorkspaceWithKey,
  withoutSecret,
} from '../schemas/account.ts';

export const signUp = writeOperation({
  id: 'signUp',
  method: 'POST',
  path: '/signup',
  tag: 'workspace',
  scope: 'none',
  summary: 'Open a workspace of your own',
  description: 'On plan Free, with a first key. Answers 404 unless sign-up is open.',
  isOpen: ({ isSignupOpen }) => isSignupOpen,
  body: SignUp,
  success: created(WorkspaceWithKey, 'The workspace and its first key.'),
  example: { workspace: exampleWorkspace, key: exampleNewKey },
  handle: async ({ body, now }, tx) => newWorkspaceView(await createWorkspace(tx, body, now)),
  storable: ({ workspace, key }) => ({ workspace, key: withoutSecret(key) }),
});
