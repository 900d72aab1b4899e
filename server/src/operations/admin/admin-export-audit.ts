import { exportAudit } from '../../services/logs/audit.ts';
import {
  auditFilters,
  downloadOf,
  exportFormat,
  exportTypeList,
} from '../audit/audit-parameters.ts';
import { readOperation } from '../operation.ts';
import { queryId } from '../parameters.ts';
import { download } from '../success.ts';
import { anyAuditView } from '../views/logs.ts';

export const adminExportAudit = readOperation({
  id: 'adminExportAudit',
  method: 'GET',
  path: '/admin/audit/export',
  tag: 'admin',
  scope: 'operate',
  summary: 'Export the audit log of one workspace or of all',
  description:
    'The rows of `GET /admin/audit` as NDJSON or CSV, newest first, sent while they are read.',
  query: {
    format: exportFormat,
    workspaceId: queryId('Only rows of this workspace.'),
    ...auditFilters,
  },
  success: download(exportTypeList, 'The rows, one a line.'),
  handle: async ({ query: { format = 'ndjson', workspaceId, ...filter } }, store) => {
    const read = store.auditLog.list.bind(store.auditLog, workspaceId, filter);
    return downloadOf(format, exportAudit({ format, read, view: anyAuditView }));
  },
});
