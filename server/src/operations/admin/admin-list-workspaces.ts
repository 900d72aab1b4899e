import { listOf, readOperation } from '../operation.ts';
import { exampleWorkspace, Workspace, workspaceView } from '../schemas/account.ts';

export const adminListWorkspaces = readOperation({
  id: 'adminListWorkspaces',
  method: 'GET',
  path: '/admin/workspaces',
  tag: 'admin',
  scope: 'operate',
  summary: 'List all workspaces',
  list: { sorts: ['id'], positionOf: (workspace: { id: number }) => ({ id: workspace.id }) },
  success: listOf(Workspace, 'The workspaces, one page of them.'),
  example: [exampleWorkspace],
  handle: async ({ page }, store) => {
    const found = await store.workspaces.list(page as never);
    return { items: found.items.map(workspaceView), hasMore: found.hasMore };
  },
});
