import { mapPage } from '../../datastore/list.ts';
import { auditFilters } from '../audit/audit-parameters.ts';
import { readOperation } from '../operation.ts';
import { queryId } from '../parameters.ts';
import { AuditEntry, exampleAuditEntry } from '../schemas/logs/audit.ts';
import { listOf } from '../success.ts';
import { anyAuditView } from '../views/logs.ts';

export const adminListAudit = readOperation({
  id: 'adminListAudit',
  method: 'GET',
  path: '/admin/audit',
  tag: 'admin',
  scope: 'operate',
  summary: 'List who changed what, in all workspaces',
  description: 'Newest first, with the operators and commands that made the changes.',
  query: { workspaceId: queryId('Only rows of this workspace.'), ...auditFilters },
  list: { sorts: ['at'], defaultSort: '-at' },
  success: listOf(AuditEntry, 'The rows of the audit log, one page at a time.'),
  example: [{ ...exampleAuditEntry, workspaceId: 1 }],
  handle: async ({ query: { workspaceId, ...filter }, page }, store) =>
    mapPage(await store.auditLog.list(workspaceId, filter, page), anyAuditView),
});
