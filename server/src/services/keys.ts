import type { Transaction } from '../datastore/datastore.ts';
import { invalidField, Refusal } from '../domain/errors.ts';
import type { Caller, KeyRecord, Scope } from '../domain/key.ts';
import { describeApiKey, generateApiKey } from '../lib/api-key.ts';

export interface KeyInput {
  name: string;
  scopes: readonly Scope[];
  expiresAt?: number;
}

/** A key just made: the only moment at which the whole of it is known. */
export interface CreatedKey {
  record: KeyRecord;
  key: string;
}

export async function createKey(
  tx: Transaction,
  workspaceId: number,
  input: KeyInput,
  now: number,
  given?: string,
): Promise<CreatedKey> {
  const { key, id, hint, digest } = given ? describeApiKey(given) : generateApiKey();
  const { name, scopes, expiresAt } = input;
  const expiry = expiresAt === undefined ? {} : { expiresAt };
  const record: KeyRecord = { id, workspaceId, name, hint, scopes, createdAt: now, ...expiry };
  await tx.keys.create(record, digest);
  return { record, key };
}

/** A key that a caller asks for: it can never do more than the caller's own. */
export async function grantKey(tx: Transaction, caller: Caller, input: KeyInput, now: number) {
  refuseMoreThanOwn(caller, input.scopes);
  if (input.expiresAt !== undefined && input.expiresAt <= now) {
    throw invalidField('expiresAt', 'must be a time to come');
  }
  return createKey(tx, caller.workspaceId, input, now);
}

/** A new key in place of an old one, which lives on for a while so that nobody is cut off. */
export async function rotateKey(
  tx: Transaction,
  caller: Caller,
  id: string,
  overlapSeconds: number,
  now: number,
): Promise<CreatedKey> {
  const old = await tx.keys.find(caller.workspaceId, id);
  if (!old || !isActive(old, now)) throw new Refusal('not_found');
  refuseMoreThanOwn(caller, old.scopes);
  const { name, scopes, expiresAt } = old;
  const expiry = expiresAt === undefined ? {} : { expiresAt };
  const created = await createKey(tx, caller.workspaceId, { name, scopes, ...expiry }, now);
  await tx.keys.expire(caller.workspaceId, id, now + overlapSeconds * 1000);
  return created;
}

export async function revokeKey(
  tx: Transaction,
  workspaceId: number,
  id: string,
  now: number,
): Promise<void> {
  const active = (await tx.keys.listAndLock(workspaceId)).filter((key) => isActive(key, now));
  const managers = active.filter(({ scopes }) => scopes.includes('manage'));
  if (managers.length === 1 && managers[0]!.id === id) throw new Refusal('last_manage_key');
  if (!(await tx.keys.revoke(workspaceId, id, now))) throw new Refusal('not_found');
}

function isActive({ revokedAt, expiresAt }: KeyRecord, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

function refuseMoreThanOwn(caller: Caller, wanted: readonly Scope[]): void {
  const lacking = wanted.filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length === 0) return;
  throw new Refusal('insufficient_scope', {
    message: `A key can grant only scopes that it has itself; this one lacks ${lacking.join(', ')}.`,
    details: { scope: lacking[0], lacking },
  });
}
