// Secrets of webhooks that no key decrypts any more: the key was lost, with a disk for example.

import type { Datastore, Transaction } from '../datastore/datastore.ts';
import { disable } from '../domain/delivery.ts';
import type { WebhookRecord } from '../domain/webhook.ts';
import { KEY_NAME_LENGTH, type SecretBox } from '../lib/secret-box.ts';
import { newWebhookSecret, webhookSecretHint } from '../lib/webhook-secret.ts';
import { emit } from './events/emit.ts';
import { auditUpdate, auditWebhook } from './webhooks.ts';

type WebhookKey = Pick<WebhookRecord, 'workspaceId' | 'id'>;

interface LostSecrets {
  box: Pick<SecretBox, 'knowsKeyOf'>;
  seal: (secret: string, workspaceId: number) => string;
  now: number;
}

/** The names of the keys that are missing. */
export async function lostKeyNames(
  { read }: Pick<Datastore, 'read'>,
  box: Pick<SecretBox, 'knowsKeyOf'>,
  now: number,
): Promise<string[]> {
  const names = await read.webhooks.sealNames(KEY_NAME_LENGTH, now);
  return names.filter((name) => !box.knowsKeyOf(name));
}

/**
 * Gives each of these webhooks a new secret and disables it: its receiver does not know the secret, and nothing is ever sent
 * that it would refuse. The owner rotates the secret and enables the webhook, which goes on from its cursor.
 */
export async function resetLostSecrets(store: Datastore, lost: LostSecrets): Promise<WebhookKey[]> {
  const reset: WebhookKey[] = [];
  for (const name of await lostKeyNames(store, lost.box, lost.now)) {
    for (;;) {
      const found = await store.read.webhooks.listSealedBy(name, lost.now);
      if (found.length === 0) break;
      for (const key of found) {
        if (await store.transact((tx) => resetSecret(tx, key, lost))) reset.push(key);
      }
    }
  }
  return reset;
}

/** Returns whether the webhook has a new secret; not if only one in its overlap was lost, which then ends. */
async function resetSecret(tx: Transaction, key: WebhookKey, lost: LostSecrets): Promise<boolean> {
  const { workspaceId, id } = key;
  const before = await tx.webhooks.findAndLock(workspaceId, id);
  if (!before) return false;
  const { current } = (await tx.webhooks.findSecrets(before))!;
  const { now } = lost;
  if (lost.box.knowsKeyOf(current)) {
    await tx.webhooks.replaceSecrets(before, { current, hint: before.secretHint });
    return false;
  }
  const secret = newWebhookSecret();
  const hint = webhookSecretHint(secret);
  await tx.webhooks.replaceSecrets(before, { current: lost.seal(secret, workspaceId), hint });
  await auditWebhook(tx, before, { action: 'webhook.rotated', after: { overlapSeconds: 0 }, now });
  if (before.state === 'disabled') return true;
  const after = { ...before, ...disable(before, 'failed').health };
  await tx.webhooks.update(after);
  await auditUpdate(tx, { before, after, now });
  const webhook = await tx.webhooks.statusOf(
    (await tx.webhooks.findAndLock(workspaceId, id))!,
    now,
  );
  const data = { webhook, reason: webhook.stateReason };
  await emit(tx, { caller: { workspaceId }, now }, { type: 'webhook.disabled', data });
  return true;
}
