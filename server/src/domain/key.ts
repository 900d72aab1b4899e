import type { Limits } from './plan.ts';

export const scopes = ['read', 'write', 'manage', 'operate'] as const;
export type Scope = (typeof scopes)[number];

/** A key as it is kept: instants are epoch milliseconds, the secret is only a digest elsewhere. */
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

/** Whoever made a request, as far as its key tells. */
export interface Caller {
  keyId: string;
  workspaceId: number;
  scopes: readonly Scope[];
  limits: Limits;
}
