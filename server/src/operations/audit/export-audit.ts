import { exportAudit as exported } from '../../services/logs/audit.ts';
import { readOperation } from '../operation.ts';
import { download } from '../success.ts';
import { auditView } from '../views/logs.ts';
import { auditFilters, downloadOf, exportFormat, exportTypeList } from './audit-parameters.ts';

export const exportAudit = readOperation({
  id: 'exportAudit',
  method: 'GET',
  path: '/audit/export',
  tag: 'audit',
  scope: 'manage',
  summary: 'Export the audit log of the workspace',
  description: 'The rows of `GET /audit` as NDJSON or CSV, newest first, sent while they are read.',
  query: { format: exportFormat, ...auditFilters },
  success: download(exportTypeList, 'The rows, one a line.'),
  handle: async ({ caller, query: { format = 'ndjson', ...filter } }, store) => {
    const read = store.auditLog.listOwn.bind(store.auditLog, caller.workspaceId, filter);
    return downloadOf(format, exported({ format, read, view: auditView }));
  },
});
