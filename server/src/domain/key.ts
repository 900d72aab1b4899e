import { Refusal } from './errors.ts';
import type { CurrentLimits, PlanId } from './plan.ts';
import type { Standing } from './workspace.ts';

/** What stands in place of a key for changes that the command line makes. No key has such an id. */
export const commandKeyIds: readonly string[] = ['import', 'petstore'];

export const scopes = ['read', 'write', 'manage', 'operate'] as const;
export type Scope = (typeof scopes)[number];

/** A stored key, without its secret. Instants are epoch milliseconds. */
export interface KeyRecord {
  id: string;
  workspaceId: number;
  name: string;
  hint: string;
  scopes: readonly Scope[];
  createdAt: number;
  expiresAt?: number;
  lastUsedAt?: number;
  revokedAt?: number;
  /** A key can be rotated once; its successor can be rotated again. */
  rotatedAt?: number;
  /** The key that opened this session; absent for a key that is none. A session ends when its parent ends. */
  parentId?: string;
}

/** The key that a request was made with, and the limits of its workspace. */
export interface Caller {
  keyId: string;
  workspaceId: number;
  scopes: readonly Scope[];
  /** The key that opened the session; absent unless the request was made with a session. */
  parentId?: string;
  /** Absent for commands on this machine and for requests without a key. */
  plan?: PlanId;
  limits: CurrentLimits;
  /** The state of the workspace; absent while it is active. */
  standing?: Standing;
  /** The place of the request in its trace, for the events that it makes; absent if it is part of none. */
  traceparent?: string;
  /** The threshold for `inventory.low` of the workspace; absent if it has none. */
  lowStockAt?: number;
}

/**
 * Whether this is the only active key with `manage`, or the only one of them that never expires. A rotated key expires.
 * Sessions do not count.
 */
export function isLastManageKey(keys: readonly KeyRecord[], id: string, now: number): boolean {
  const managers = keys.filter(
    (key) => !key.parentId && isActive(key, now) && key.scopes.includes('manage'),
  );
  const staying = managers.filter(({ expiresAt }) => expiresAt === undefined);
  const isOnlyOne = (list: readonly KeyRecord[]) => list.length === 1 && list[0]!.id === id;
  return isOnlyOne(managers) || isOnlyOne(staying);
}

/** When a key ends. */
export interface KeyEnd {
  revokedAt?: number | undefined;
  expiresAt?: number | undefined;
}

export function isActive({ revokedAt, expiresAt }: KeyEnd, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

/** What a request with this key is refused with; undefined if the key is active. */
export function keyRefusal(key: KeyEnd | undefined, now: number): Refusal | undefined {
  if (!key || key.revokedAt !== undefined) return new Refusal('invalid_api_key');
  return isActive(key, now) ? undefined : new Refusal('expired_api_key');
}
