import type { Transaction } from '../../datastore/datastore.ts';
import type { AuditRecord } from '../../domain/logs/audit.ts';
import type { WebhookRecord } from '../../domain/webhook.ts';
import { recordAudit } from './audit.ts';

type WebhookAudit = Pick<AuditRecord, 'action' | 'before' | 'after'> & { now: number };

export function auditWebhook(
  tx: Transaction,
  { workspaceId, id }: Pick<WebhookRecord, 'workspaceId' | 'id'>,
  audit: WebhookAudit,
): Promise<void> {
  return recordAudit(tx, { workspaceId, target: `webhook:${id}`, ...audit });
}

/** Writes a row if the owner changed anything. */
export async function auditUpdate(
  tx: Transaction,
  { before, after, now }: { before: WebhookRecord; after: WebhookRecord; now: number },
): Promise<void> {
  const fields = [shown(before), shown(after)] as const;
  const names = Object.keys(fields[1]) as (keyof ReturnType<typeof shown>)[];
  const isChanged = (name: (typeof names)[number]) =>
    name === 'url'
      ? before.url !== after.url
      : JSON.stringify(fields[0][name]) !== JSON.stringify(fields[1][name]);
  const changed = names.filter(isChanged);
  if (changed.length === 0) return;
  const [earlier, later] = fields.map((all) =>
    Object.fromEntries(changed.map((name) => [name, all[name]])),
  );
  const change = { before: earlier!, after: later!, now };
  await auditWebhook(tx, after, { action: 'webhook.updated', ...change });
}

/** What its owner decides about a webhook. A URL may have a secret in its query, which is left out. */
export function shown(webhook: WebhookRecord) {
  const { url, types, description = null, batchMax, perSecondMax, state } = webhook;
  const { origin, pathname } = new URL(url);
  return { url: `${origin}${pathname}`, types, description, batchMax, perSecondMax, state };
}
