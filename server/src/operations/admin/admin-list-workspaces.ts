import { mapPage } from '../../datastore/list.ts';
import { readOperation } from '../operation.ts';
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
  list: { sorts: ['id'] },
  success: listOf(Workspace, 'The workspaces, one page at a time.'),
  example: [exampleWorkspace],
  handle: async ({ page }, store) => mapPage(await store.workspaces.list(page), workspaceView),
});
