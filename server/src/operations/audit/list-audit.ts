import { mapPage } from '../../datastore/list.ts';
import { readOperation } from '../operation.ts';
import { AuditEntry, exampleAuditEntry } from '../schemas/logs/audit.ts';
import { listOf } from '../success.ts';
import { auditView } from '../views/logs.ts';
import { auditFilters } from './audit-parameters.ts';

export const listAudit = readOperation({
  id: 'listAudit',
  method: 'GET',
  path: '/audit',
  tag: 'audit',
  scope: 'manage',
  summary: 'List who changed keys, webhooks, the plan and the workspace',
  description:
    'Newest first. Of an operator it shows `operator` and nothing else. A filtered page may have fewer rows than `limit`, or none; continue while there is a `next` link.',
  query: auditFilters,
  list: { sorts: ['at'], defaultSort: '-at' },
  success: listOf(AuditEntry, 'The rows of the audit log, one page at a time.'),
  example: [exampleAuditEntry],
  handle: async ({ caller, query, page }, store) =>
    mapPage(await store.auditLog.listOwn(caller.workspaceId, query, page), auditView),
});
