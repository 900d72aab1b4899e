// A session is a key of twelve hours that a browser holds in a cookie. It has the scopes of the key that opened it and an
// id of its own, by which the ledger, bans and usage name it.

import type { Readers, Transaction } from '../datastore/datastore.ts';
import { HOUR_MS } from '../domain/durations.ts';
import { noWorkspace } from '../domain/errors.ts';
import type { KeyRecord } from '../domain/key.ts';
import type { Workspace } from '../domain/workspace.ts';
import { formatInstant } from '../lib/instant.ts';
import type { Change } from './change.ts';
import { getActive, insertKey, targetOf } from './keys.ts';
import { recordAudit } from './logs/audit.ts';

const SESSION_MS = 12 * HOUR_MS;
/** Of one key at once. Opening costs no quota, so without a bound a key could fill the store; see delete-expired.ts. */
const SESSIONS_MAX = 20;
/** Of the name of its key: with what follows, a name has at most 200 characters. */
const PARENT_NAME_MAX = 190;

export interface Session {
  key: KeyRecord;
  workspace: Workspace;
}

/** A new session and its secret, which is known only now: the store keeps a digest. */
interface OpenedSession extends Session {
  secret: string;
}

/**
 * Opens a session for a key; the oldest ends if there are too many. The key is locked, so a revocation or rotation
 * meanwhile sees the session and ends it.
 */
export async function openSession(
  tx: Transaction,
  { caller: { workspaceId, keyId }, now }: Change,
): Promise<OpenedSession> {
  const parent = getActive(await tx.keys.findAndLock(workspaceId, keyId), now);
  const workspace = await tx.workspaces.find(workspaceId);
  if (!workspace) throw noWorkspace(workspaceId);
  const expiresAt = Math.min(now + SESSION_MS, parent.expiresAt ?? Number.POSITIVE_INFINITY);
  const sessions = await tx.keys.listSessions(parent.id, now);
  for (const { id } of sessions.slice(0, 1 - SESSIONS_MAX)) {
    await end(tx, { workspaceId, id, now });
  }
  const { record, key } = await insertKey(tx, {
    workspaceId,
    key: { name: nameOf(parent), scopes: parent.scopes, expiresAt },
    parentId: parent.id,
    now,
  });
  await recordAudit(tx, {
    workspaceId,
    action: 'session.opened',
    target: targetOf(record),
    after: { keyId: parent.id, expiresAt: formatInstant(expiresAt) },
    now,
  });
  return { key: record, workspace, secret: key };
}

/** Names the person or program that signed in, because the ledger says by this name who changed stock. */
function nameOf({ name }: KeyRecord): string {
  return `${Array.from(name).slice(0, PARENT_NAME_MAX).join('')}, console`;
}

export async function getSession(
  { keys, workspaces }: Pick<Readers, 'keys' | 'workspaces'>,
  { caller: { workspaceId, keyId }, now }: Change,
): Promise<Session> {
  const [key, workspace] = await Promise.all([
    keys.find(workspaceId, keyId),
    workspaces.find(workspaceId),
  ]);
  if (!workspace) throw noWorkspace(workspaceId);
  return { key: getActive(key, now), workspace };
}

/** Ends the session of the caller. One that another request has just ended stays ended. */
export async function endSession(tx: Transaction, { caller, now }: Change): Promise<void> {
  await end(tx, { workspaceId: caller.workspaceId, id: caller.keyId, now });
}

async function end(
  tx: Transaction,
  { workspaceId, id, now }: { workspaceId: number; id: string; now: number },
): Promise<void> {
  if (!(await tx.keys.revoke(workspaceId, id, now))) return;
  await recordAudit(tx, { workspaceId, action: 'session.ended', target: `session:${id}`, now });
}
