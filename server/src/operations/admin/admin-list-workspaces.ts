import { mapPage } from '../../datastore/list.ts';
import { workspaceStates } from '../../domain/workspace.ts';
import { readOperation } from '../operation.ts';
import { oneOf } from '../parameters.ts';
import { exampleWorkspace, Workspace } from '../schemas/workspace.ts';
import { listOf } from '../success.ts';
import { workspaceView } from '../views/workspace.ts';

export const adminListWorkspaces = readOperation({
  id: 'adminListWorkspaces',
  method: 'GET',
  path: '/admin/workspaces',
  tag: 'admin',
  scope: 'operate',
  summary: 'List all workspaces',
  description: 'Without `state`, those that are erased are left out.',
  query: { state: oneOf('Only those in this state.', workspaceStates) },
  list: { sorts: ['id'] },
  success: listOf(Workspace, 'The workspaces, one page at a time.'),
  example: [exampleWorkspace],
  handle: async ({ query, page, now }, store) =>
    mapPage(await store.workspaces.list(page, query.state), (each) => workspaceView(each, now)),
});
