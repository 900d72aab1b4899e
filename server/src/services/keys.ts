import type { Transaction } from '../datastore/datastore.ts';
import { invalidField, Refusal } from '../domain/errors.ts';
import { type Caller, isActive, type KeyRecord, type Scope } from '../domain/key.ts';
import { describeApiKey, generateApiKey } from '../lib/api-key.ts';
import type { Change } from './change.ts';

export interface NewKey {
  name: string;
  scopes: readonly Scope[];
  expiresAt?: number;
}

/** A new key and its text, which is known only now: the store keeps a digest. */
export interface CreatedKey {
  record: KeyRecord;
  key: string;
}

interface KeyCreation {
  workspaceId: number;
  key: NewKey;
  now: number;
  /** The text of the key; generated if absent. */
  text?: string;
}

export async function createKey(
  tx: Transaction,
  { workspaceId, key: { name, scopes, expiresAt }, now, text }: KeyCreation,
): Promise<CreatedKey> {
  const { key, id, hint, digest } = text ? describeApiKey(text) : generateApiKey();
  const expiry = expiresAt === undefined ? {} : { expiresAt };
  const record: KeyRecord = { id, workspaceId, name, hint, scopes, createdAt: now, ...expiry };
  await tx.keys.create(record, digest);
  return { record, key };
}

/** Creates a key for a caller. It never has a scope that the caller's own key lacks. */
export async function grantKey(
  tx: Transaction,
  { caller, key, now }: Change & { key: NewKey },
): Promise<CreatedKey> {
  refuseMoreThanOwn(caller, key.scopes);
  if (key.expiresAt !== undefined && key.expiresAt <= now) {
    throw invalidField('expiresAt', 'must be in the future');
  }
  return createKey(tx, { workspaceId: caller.workspaceId, key, now });
}

/** Replaces a key by a new one. The old key stays valid for the overlap, so that clients can change over. */
export async function rotateKey(
  tx: Transaction,
  { caller, id, overlapSeconds, now }: Change & { id: string; overlapSeconds: number },
): Promise<CreatedKey> {
  const { workspaceId } = caller;
  const old = await tx.keys.find(workspaceId, id);
  if (!old || !isActive(old, now)) throw new Refusal('not_found');
  refuseMoreThanOwn(caller, old.scopes);
  const { name, scopes, expiresAt } = old;
  const expiry = expiresAt === undefined ? {} : { expiresAt };
  const created = await createKey(tx, { workspaceId, key: { name, scopes, ...expiry }, now });
  await tx.keys.expire(workspaceId, id, now + overlapSeconds * 1000);
  return created;
}

export async function revokeKey(
  tx: Transaction,
  { workspaceId, id, now }: { workspaceId: number; id: string; now: number },
): Promise<void> {
  const active = (await tx.keys.listAndLock(workspaceId)).filter((key) => isActive(key, now));
  const managers = active.filter(({ scopes }) => scopes.includes('manage'));
  if (managers.length === 1 && managers[0]!.id === id) throw new Refusal('last_manage_key');
  if (!(await tx.keys.revoke(workspaceId, id, now))) throw new Refusal('not_found');
}

function refuseMoreThanOwn(caller: Caller, wanted: readonly Scope[]): void {
  const lacking = wanted.filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length === 0) return;
  throw new Refusal('insufficient_scope', {
    message: `A key can grant only scopes that it has itself; this one lacks ${lacking.join(', ')}.`,
    details: { scope: lacking[0], lacking },
  });
}
