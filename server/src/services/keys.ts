import type { Readers, Transaction } from '../datastore/datastore.ts';
import { invalidField, notFound, Refusal } from '../domain/errors.ts';
import {
  type Caller,
  isActive,
  isLastManageKey,
  type KeyRecord,
  keyRefusal,
  type Scope,
} from '../domain/key.ts';
import { describeApiKey, generateApiKey } from '../lib/api-key.ts';
import { formatInstant } from '../lib/instant.ts';
import type { Change } from './change.ts';
import { emit } from './events/emit.ts';
import { recordAudit } from './logs/audit.ts';

interface NewKey {
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
  text?: string | undefined;
  /** The key that asks for it; absent for the operator. */
  keyId?: string;
  /** The key whose session it is. */
  parentId?: string;
}

export async function createKey(tx: Transaction, creation: KeyCreation): Promise<CreatedKey> {
  const created = await insertKey(tx, creation);
  const { workspaceId, keyId, now } = creation;
  const event = { type: 'key.created', data: { key: created.record } } as const;
  await emit(tx, { caller: { workspaceId, keyId }, now }, event);
  const after = shown(created.record);
  const target = targetOf(created.record);
  await recordAudit(tx, { workspaceId, action: 'key.created', target, after, now });
  return created;
}

/** Creates a key without an event. */
export async function insertKey(
  tx: Transaction,
  { workspaceId, key: { name, scopes, expiresAt }, now, text, parentId }: KeyCreation,
): Promise<CreatedKey> {
  const { key, id, hint, digest } = text ? describeApiKey(text) : generateApiKey();
  const optional = {
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(parentId === undefined ? {} : { parentId }),
  };
  const record: KeyRecord = { id, workspaceId, name, hint, scopes, createdAt: now, ...optional };
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
  const { workspaceId, keyId } = caller;
  return createKey(tx, { workspaceId, keyId, key, now });
}

/** Replaces a key by a new one. The old key stays valid for the overlap, so that clients can change over. */
export async function rotateKey(
  tx: Transaction,
  { caller, id, overlapSeconds, now }: Change & { id: string; overlapSeconds: number },
): Promise<CreatedKey> {
  const { workspaceId } = caller;
  const old = await tx.keys.find(workspaceId, id);
  if (!old || old.revokedAt !== undefined) throw notFound('key', id);
  if (old.rotatedAt !== undefined) throw alreadyRotated(id);
  if (!isActive(old, now)) throw notFound('key', id);
  if (old.parentId) throw notRotatable(id);
  refuseMoreThanOwn(caller, old.scopes);
  const rotation = { at: now, expiresAt: now + overlapSeconds * 1000 };
  if (!(await tx.keys.rotate(workspaceId, id, rotation))) throw alreadyRotated(id);
  const { name, scopes, expiresAt } = old;
  const expiry = expiresAt === undefined ? {} : { expiresAt };
  const created = await insertKey(tx, { workspaceId, key: { name, scopes, ...expiry }, now });
  const endsAt = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, rotation.expiresAt);
  const data = { key: { ...old, expiresAt: endsAt, rotatedAt: now }, newKey: created.record };
  await emit(tx, { caller, now }, { type: 'key.rotated', data });
  await recordAudit(tx, {
    workspaceId,
    action: 'key.rotated',
    target: targetOf(old),
    before: expiresAt === undefined ? {} : { expiresAt: formatInstant(expiresAt) },
    after: { expiresAt: formatInstant(endsAt), newKeyId: created.record.id },
    now,
  });
  return created;
}

interface KeyRevocation {
  workspaceId: number;
  id: string;
  now: number;
  /** The key that asks for it; absent for the operator. */
  keyId?: string;
}

/** Ends a key and its sessions. Sessions come and go without an event. */
export async function revokeKey(
  tx: Transaction,
  { workspaceId, keyId, id, now }: KeyRevocation,
): Promise<void> {
  const keys = await tx.keys.listToRevokeAndLock(workspaceId, id, now);
  if (isLastManageKey(keys, id, now)) {
    throw new Refusal('last_manage_key', {
      message: `Key ${id} is the last one with the scope manage that does not expire. Create another one first.`,
    });
  }
  const key = keys.find((each) => each.id === id);
  if (!key || !(await endKey(tx, { key, keyId, now }))) throw notFound('key', id);
}

/** Ends a key of any workspace for the operator, also the last one with `manage`. */
export async function revokeAnyKey(
  tx: Transaction,
  { id, now }: { id: string; now: number },
): Promise<void> {
  const key = await tx.keys.findAny(id);
  if (!key || !(await endKey(tx, { key, now }))) throw noKey(id);
}

function noKey(id: string): Refusal {
  return new Refusal('not_found', { message: `There is no key ${id} that is not revoked.` });
}

/**
 * False if the key was revoked before. The service keeps a key with `operate` that never expires, so that operators do not
 * lock themselves out.
 */
async function endKey(
  tx: Transaction,
  { key: ended, keyId, now }: { key: KeyRecord; keyId?: string | undefined; now: number },
): Promise<boolean> {
  const { id, workspaceId, parentId, revokedAt, expiresAt, scopes } = ended;
  if (revokedAt !== undefined) return false;
  const isOperator = scopes.includes('operate') && !parentId && expiresAt === undefined;
  if (isOperator && !(await tx.keys.hasOperatorBeside(id))) throw new Refusal('last_operate_key');
  if (!(await tx.keys.revoke(workspaceId, id, now))) return false;
  const key = { ...ended, revokedAt: now };
  const action = parentId ? 'session.ended' : 'key.revoked';
  await recordAudit(tx, { workspaceId, action, target: targetOf(key), now });
  if (parentId) return true;
  await emit(tx, { caller: { workspaceId, keyId }, now }, { type: 'key.revoked', data: { key } });
  return true;
}

/** What the audit log calls a key or a session. */
export function targetOf({ id, parentId }: Pick<KeyRecord, 'id' | 'parentId'>): string {
  return parentId === undefined ? `key:${id}` : `session:${id}`;
}

/** What the audit log shows of a new key. */
function shown({ name, scopes, expiresAt }: KeyRecord) {
  return {
    name,
    scopes,
    ...(expiresAt === undefined ? {} : { expiresAt: formatInstant(expiresAt) }),
  };
}

/**
 * Refuses a caller whose key was revoked or has expired since the request was authenticated: another node, or the cache
 * of this one, may have accepted it for up to a second longer.
 */
export async function refuseInactiveKey(
  { keys }: Pick<Readers, 'keys'>,
  { caller, now }: Change,
): Promise<void> {
  getActive(await keys.find(caller.workspaceId, caller.keyId), now);
}

/** The key, unless it was revoked or has expired. */
export function getActive(key: KeyRecord | undefined, now: number): KeyRecord {
  const refusal = keyRefusal(key, now);
  if (refusal) throw refusal;
  return key!;
}

function notRotatable(id: string): Refusal {
  return new Refusal('not_found', {
    message: `Key ${id} is a session, which cannot be rotated. Sign in again instead.`,
  });
}

function alreadyRotated(id: string): Refusal {
  return new Refusal('key_already_rotated', {
    message: `Key ${id} has already been rotated. Use the key that replaced it.`,
  });
}

function refuseMoreThanOwn(caller: Caller, wanted: readonly Scope[]): void {
  const lacking = wanted.filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length === 0) return;
  throw new Refusal('insufficient_scope', {
    message: `A key can grant only scopes that it has itself; this one lacks ${lacking.join(', ')}.`,
    details: { scope: lacking[0]!, lacking },
  });
}
