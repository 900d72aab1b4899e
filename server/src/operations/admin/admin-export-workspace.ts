import { readOperation } from '../operation.ts';
import { anyWorkspaceId } from '../parameters.ts';
import { download } from '../success.ts';
import { archiveDownload, archiveTypes } from '../workspace/archive-download.ts';

export const adminExportWorkspace = readOperation({
  id: 'adminExportWorkspace',
  method: 'GET',
  path: '/admin/workspaces/{workspaceId}/export',
  tag: 'admin',
  scope: 'operate',
  summary: 'Export any workspace',
  description:
    'As `GET /workspace/export`, also while the workspace is suspended. `petstore server import-workspace` makes a new workspace of it.',
  params: { workspaceId: anyWorkspaceId },
  audits: ['workspace.exported'],
  success: download(archiveTypes, 'The archive, sent while it is read.'),
  errors: ['too_many_exports'],
  handle: async ({ params: { workspaceId }, author, now }, _, { exports }) =>
    archiveDownload(
      exports.export({ workspaceId, audience: 'operator' }, author()),
      workspaceId,
      now,
    ),
});
