import type { Transaction } from '../../datastore/datastore.ts';
import type { Actor, AuditRecord, Author } from '../../domain/logs/audit.ts';

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

/** The workspace of rows about the whole service. No workspace has this id. */
const SERVICE_WIDE = 0;

/** Writes the row of a command that changes more than one workspace. */
export function recordRun(tx: Transaction, command: string, now: number): Promise<void> {
  const row = { action: 'command.run', target: 'service', after: { command } } as const;
  return recordAudit(tx, { workspaceId: SERVICE_WIDE, ...row, now });
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
