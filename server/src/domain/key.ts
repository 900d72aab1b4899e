import type { Limits } from './plan.ts';

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
}

/** The key that a request was made with, and the limits of its workspace. */
export interface Caller {
  keyId: string;
  workspaceId: number;
  scopes: readonly Scope[];
  limits: Limits;
}

export function isActive({ revokedAt, expiresAt }: KeyRecord, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}
