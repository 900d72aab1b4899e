import { mapPage } from '../../datastore/page.ts';
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
  list: { sorts: ['id'], positionOf: (workspace: { id: number }) => ({ id: workspace.id }) },
  success: listOf(Workspace, 'The workspaces, one page at a time.'),
  example: [exampleWorkspace],
  handle: async ({ page }, store) => mapPage(await store.workspaces.list(page), workspaceView),
});
