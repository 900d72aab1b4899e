import type { AuditRecord } from '../../../src/domain/logs/audit.ts';
import type { TestApp } from '../../support/app.ts';

/** All rows of the audit log, in the order of their ids. */
export function auditRows(app: TestApp): Promise<AuditRecord[]> {
  return app.transact(async (tx) => {
    const rows: AuditRecord[] = [];
    for (let after: readonly (string | number)[] | undefined; ; ) {
      const page = await tx.auditLog.list(undefined, {}, { limit: 500, sort: 'at', after });
      rows.push(...page.items);
      if (!page.hasMore) return rows.sort((a, b) => a.id - b.id);
      after = page.end;
    }
  });
}
