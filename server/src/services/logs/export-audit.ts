import type { Page, PageRequest } from '../../datastore/list.ts';
import type { AuditRecord } from '../../domain/logs/audit.ts';

export const exportTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;
export type ExportFormat = keyof typeof exportTypes;

/** How many rows are read and sent at once. */
const ROWS = 500;
const columns = [
  ...['id', 'at', 'workspaceId', 'action', 'actorType', 'actorId', 'actorName', 'target'],
  ...['before', 'after', 'requestId', 'address'],
];

interface Row {
  actor: { type: string; id?: string; name?: string };
  [field: string]: unknown;
}

interface AuditExport {
  format: ExportFormat;
  read: (page: PageRequest<'at'>) => Promise<Page<AuditRecord>>;
  view: (record: AuditRecord) => Row;
}

/** The rows as text, newest first, one page at a time. */
export async function* exportAudit({ format, read, view }: AuditExport): AsyncGenerator<string> {
  if (format === 'csv') yield `${columns.join(',')}\r\n`;
  const lineOf = format === 'csv' ? csvLine : (row: Row) => `${JSON.stringify(row)}\n`;
  for (let after: PageRequest['after']; ; ) {
    const { items, hasMore, end } = await read({ limit: ROWS, sort: '-at', after });
    const text = items.map((record) => lineOf(view(record))).join('');
    if (text !== '') yield text;
    if (!hasMore) return;
    after = end;
  }
}

function csvLine({ actor, ...row }: Row): string {
  const flat = { ...row, actorType: actor.type, actorId: actor.id, actorName: actor.name };
  const cells = columns.map((name) => cellOf(flat[name as keyof typeof flat]));
  return `${cells.join(',')}\r\n`;
}

/** A spreadsheet would run a text that begins like a formula. */
function cellOf(value: unknown): string {
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
  const text = /^[=+\-@\t]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
