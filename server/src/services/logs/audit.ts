import type { Transaction } from '../../datastore/datastore.ts';
import type { Page, PageRequest } from '../../datastore/list.ts';
import type { Actor, AuditRecord, Author } from '../../domain/logs/audit.ts';
import { NO_WORKSPACE } from '../../domain/workspace.ts';

const SERVICE: Author = { actor: { type: 'service' } };

type NewAudit = Pick<AuditRecord, 'workspaceId' | 'action' | 'target' | 'before' | 'after'> & {
  now: number;
};

/**
 * Writes the row of a change into its transaction: both are committed or neither is. `before` and `after` hold the fields
 * that changed, and never a secret. The actor is the one for whom the transaction runs, or the service itself.
 */
export async function recordAudit(tx: Transaction, { now, ...audit }: NewAudit): Promise<void> {
  const { actor, workspaceId, ...origin } = tx.by ?? SERVICE;
  const named = await withName(tx, actor, workspaceId);
  await tx.auditLog.add({ ...audit, ...origin, actor: named, at: now });
}

/** Writes the row of a command that changes more than one workspace. */
export function recordRun(tx: Transaction, command: string, now: number): Promise<void> {
  const row = { action: 'command.run', target: 'service', after: { command } } as const;
  return recordAudit(tx, { workspaceId: NO_WORKSPACE, ...row, now });
}

/** The transaction as one of this author. */
export function authoredBy(tx: Transaction, by: Author): Transaction {
  return { ...tx, by };
}

/** The name that the key has at the moment: it may be gone when the row is read. */
async function withName(
  tx: Transaction,
  actor: Actor,
  workspaceId: number | undefined,
): Promise<Actor> {
  if (workspaceId === undefined || actor.id === undefined) return actor;
  const key = await tx.keys.find(workspaceId, actor.id);
  return key ? { ...actor, name: key.name } : actor;
}

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
