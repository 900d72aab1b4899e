import type { Transaction } from '../datastore/datastore.ts';
import { type AttemptRecord, afterSuccess, disable } from '../domain/delivery.ts';
import { invalidField, notFound, Refusal } from '../domain/errors.ts';
import type { EventRecord } from '../domain/event.ts';
import type { AuditRecord } from '../domain/logs/audit.ts';
import {
  type WebhookRecord,
  type WebhookSettings,
  type WebhookStatus,
  webhooksMax,
} from '../domain/webhook.ts';
import { newWebhookSecret, webhookSecretBytes, webhookSecretHint } from '../lib/webhook-secret.ts';
import { emit } from './events/emit.ts';
import { recordAudit } from './logs/audit.ts';

/** What services and operations need of the part that delivers. */
export interface WebhookGateway {
  /** Whether a new URL must answer a ping before anything is delivered to it. */
  readonly isVerifying: boolean;
  /** Throws a Refusal if deliveries may not go to this URL. */
  checkUrl(url: string): Promise<void>;
  seal(secret: string, workspaceId: number): string;
  ping(webhook: WebhookRecord): Promise<AttemptRecord>;
  redeliver(webhook: WebhookRecord, event: EventRecord): Promise<AttemptRecord>;
}

/** Who makes a change, and when; no key for the operator. */
interface OwnerChange {
  caller: { workspaceId: number; keyId?: string };
  now: number;
}

interface WebhookChange extends OwnerChange {
  id: number;
  gateway: Pick<WebhookGateway, 'isVerifying'>;
  /** Throws a Refusal if the change was made for another version of the webhook. */
  checkMatch?: (current: WebhookStatus) => void;
}

export interface WebhookPatch {
  url?: string;
  types?: readonly string[];
  description?: string | null;
  batchMax?: number;
  perSecondMax?: number;
  state?: 'enabled' | 'disabled';
}

/** The secret is known only now: the store keeps it sealed. */
interface WebhookWithSecret {
  webhook: WebhookStatus;
  secret: string;
}

interface NewWebhook extends OwnerChange {
  settings: WebhookSettings;
  /** The number of the last event that is not delivered to it. */
  cursor: number;
  /** The owner's own secret; generated if absent. */
  secret?: string;
  gateway: WebhookGateway;
}

export async function createWebhook(
  tx: Transaction,
  { caller: { workspaceId }, settings, cursor, secret, gateway, now }: NewWebhook,
): Promise<WebhookWithSecret> {
  const text = secret ?? newWebhookSecret();
  if (!webhookSecretBytes(text)) {
    throw invalidField('secret', 'must be whsec_ and base64 of 24 to 64 bytes');
  }
  await refuseTooMany(tx, workspaceId);
  const record = {
    ...settings,
    workspaceId,
    isVerified: !gateway.isVerifying,
    state: gateway.isVerifying ? 'unverified' : 'enabled',
    failures: 0,
    rejections: 0,
    cursor,
    secretHint: webhookSecretHint(text),
    createdAt: now,
  } as const;
  const webhook = await tx.webhooks.create(record, gateway.seal(text, workspaceId));
  await auditWebhook(tx, webhook, { action: 'webhook.created', after: shown(webhook), now });
  return { webhook: await tx.webhooks.statusOf(webhook, now), secret: text };
}

/**
 * A new URL must be verified again. Enabling goes on from the cursor. New types apply to everything behind the cursor: a
 * delivery under way has passed over events by the former types, so it counts for nothing. The event that failed may no
 * longer be wanted, so they end a series of failures.
 */
export async function updateWebhook(
  tx: Transaction,
  { caller, id, patch, gateway, checkMatch, now }: WebhookChange & { patch: WebhookPatch },
): Promise<WebhookStatus> {
  const before = await lockWebhook(tx, caller.workspaceId, id);
  checkMatch?.(await tx.webhooks.statusOf(before, now));
  let after = withSettings(before, patch);
  const hasNewTypes = changesTypes(before, patch);
  if (hasNewTypes && before.isVerified) after = withoutFailures(after);
  if (after.url !== before.url) after = withNewUrl(after, gateway.isVerifying);
  if (patch.state === 'enabled' && before.state === 'disabled') after = await enabled(tx, after);
  const isSwitchedOff = patch.state === 'disabled' && before.state !== 'disabled';
  if (isSwitchedOff) after = { ...after, ...disable(after, 'by_owner').health };
  await tx.webhooks.update(after);
  const isRedirected = after.url !== before.url || hasNewTypes;
  if (isRedirected) await tx.webhooks.restart(before, now);
  else if (patch.state === 'enabled' || isSwitchedOff) await tx.webhooks.resume(before, now);
  const webhook = await tx.webhooks.statusOf(await lockWebhook(tx, caller.workspaceId, id), now);
  await auditUpdate(tx, { before, after, now });
  if (isSwitchedOff) {
    const data = { webhook, reason: webhook.stateReason };
    await emit(tx, { caller, now }, { type: 'webhook.disabled', data });
  }
  return webhook;
}

export async function deleteWebhook(
  tx: Transaction,
  { caller, id, checkMatch, now }: Omit<WebhookChange, 'gateway'>,
): Promise<void> {
  const webhook = await lockWebhook(tx, caller.workspaceId, id);
  checkMatch?.(await tx.webhooks.statusOf(webhook, now));
  await tx.webhooks.delete(webhook);
  await auditWebhook(tx, webhook, { action: 'webhook.deleted', before: shown(webhook), now });
}

/**
 * Both secrets sign until the overlap ends. A secret that was still in its overlap ends at once: the revision rises, so
 * that a delivery under way does not go on with it.
 */
export async function rotateWebhookSecret(
  tx: Transaction,
  change: OwnerChange & {
    id: number;
    overlapSeconds: number;
    gateway: Pick<WebhookGateway, 'seal'>;
  },
): Promise<WebhookWithSecret> {
  const { caller, id, overlapSeconds, gateway, now } = change;
  const { workspaceId } = caller;
  const locked = await lockWebhook(tx, workspaceId, id);
  const { current } = (await tx.webhooks.findSecrets(locked))!;
  const secret = newWebhookSecret();
  const overlap = { previous: current, previousUntil: now + overlapSeconds * 1000 };
  await tx.webhooks.replaceSecrets(locked, {
    current: gateway.seal(secret, workspaceId),
    hint: webhookSecretHint(secret),
    ...(overlapSeconds > 0 ? overlap : {}),
  });
  await auditWebhook(tx, locked, { action: 'webhook.rotated', after: { overlapSeconds }, now });
  return {
    webhook: await tx.webhooks.statusOf(await lockWebhook(tx, workspaceId, id), now),
    secret,
  };
}

/** Moves the cursor, backward or forward. A pending retry is due at once. */
export async function replayWebhook(
  tx: Transaction,
  { caller, id, cursor, now }: OwnerChange & { id: number; cursor: number },
): Promise<WebhookStatus> {
  const { batchLast: _, ...webhook } = await lockWebhook(tx, caller.workspaceId, id);
  await tx.webhooks.update({ ...withoutFailures(webhook), cursor });
  await tx.webhooks.restart(webhook, now);
  const moved = { before: { cursor: webhook.cursor }, after: { cursor } };
  await auditWebhook(tx, webhook, { action: 'webhook.replayed', ...moved, now });
  return tx.webhooks.statusOf(await lockWebhook(tx, caller.workspaceId, id), now);
}

function changesTypes({ types }: WebhookRecord, patch: WebhookPatch): boolean {
  return patch.types !== undefined && patch.types.join() !== types.join();
}

function withSettings(before: WebhookRecord, patch: WebhookPatch): WebhookRecord {
  const { state: _, description = before.description, ...settings } = patch;
  const { description: __, batchLast, ...rest } = before;
  // A batch that was sent has events of the former types.
  const isSameBatch = batchLast !== undefined && !changesTypes(before, patch);
  return {
    ...rest,
    ...settings,
    ...(description === undefined || description === null ? {} : { description }),
    ...(isSameBatch ? { batchLast } : {}),
  };
}

/** What failed is not what is sent next. */
function withoutFailures(webhook: WebhookRecord): WebhookRecord {
  const { failingSince: _, ...rest } = webhook;
  return { ...rest, ...afterSuccess(webhook) };
}

function withNewUrl(webhook: WebhookRecord, isVerifying: boolean): WebhookRecord {
  const { failingSince: _, ...rest } = webhook;
  const state = isVerifying ? 'unverified' : 'enabled';
  return {
    ...rest,
    isVerified: !isVerifying,
    failures: 0,
    rejections: 0,
    state: webhook.state === 'disabled' ? 'disabled' : state,
  };
}

async function enabled(tx: Transaction, webhook: WebhookRecord): Promise<WebhookRecord> {
  const { firstSequence, lastSequence } = await tx.events.head(webhook.workspaceId);
  if (webhook.cursor < firstSequence - 1 && webhook.cursor < lastSequence) {
    throw new Refusal('replay_required');
  }
  const { stateReason: _, failingSince: __, ...rest } = webhook;
  const state = webhook.isVerified ? 'enabled' : 'unverified';
  return { ...rest, state, failures: 0, rejections: 0 };
}

async function refuseTooMany(tx: Transaction, workspaceId: number): Promise<void> {
  // The lock makes transactions that create webhooks at the same time count each other's.
  const workspace = await tx.workspaces.findAndLock(workspaceId);
  const max = webhooksMax[workspace!.plan];
  if ((await tx.webhooks.count(workspaceId)) < max) return;
  throw new Refusal('webhook_limit_reached', {
    message: `The plan of this workspace allows ${max} webhooks.`,
    details: { max },
  });
}

/** The webhook, locked until the transaction ends. */
async function lockWebhook(
  tx: Transaction,
  workspaceId: number,
  id: number,
): Promise<WebhookRecord> {
  const webhook = await tx.webhooks.findAndLock(workspaceId, id);
  if (!webhook) throw notFound('webhook', id);
  return webhook;
}

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
