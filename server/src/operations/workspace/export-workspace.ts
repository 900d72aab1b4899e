import { readOperation } from '../operation.ts';
import { download } from '../success.ts';
import { archiveDownload, archiveTypes } from './archive-download.ts';

export const exportWorkspace = readOperation({
  id: 'exportWorkspace',
  method: 'GET',
  path: '/workspace/export',
  tag: 'workspace',
  scope: 'manage',
  summary: 'Export the workspace',
  description:
    'All records of the workspace at one moment, as a `tar.gz` of NDJSON files with their digests. It holds no keys and no secrets. A node makes two exports at once, and ends one that is not read within 15 minutes.',
  audits: ['workspace.exported'],
  success: download(archiveTypes, 'The archive, sent while it is read.'),
  errors: ['too_many_exports'],
  handle: async ({ caller: { workspaceId }, author, now }, _, { exports }) =>
    archiveDownload(exports.export({ workspaceId, audience: 'owner' }, author()), workspaceId, now),
});
