// What authentication needs of a key and of its workspace, in one look-up.

import type { Caller, KeyEnd, Scope } from '../../domain/key.ts';
import { limitsOf, type PlanId } from '../../domain/plan.ts';
import { type Lifecycle, standingOf } from '../../domain/workspace.ts';
import { Table } from '../table.ts';
import { grantOf, standingFields } from './workspaces.ts';

export type CredentialRow = readonly [
  id: string,
  workspaceId: number,
  scopes: string,
  expiresAt: number | null,
  revokedAt: number | null,
  plan: PlanId,
  perMinute: number | null,
  perDay: number | null,
  grantPerDay: number | null,
  grantEndsAt: number | null,
  lowStockAt: number | null,
  parentId: string | null,
  ...standing: unknown[],
];

const standing = new Table<Lifecycle>('workspaces', { key: [], fields: standingFields });
/** Without its condition. */
export const CREDENTIAL = `SELECT k.id, k.workspace_id, k.scopes, k.expires_at, k.revoked_at, w.plan, w.per_minute,
    w.per_day, w.grant_per_day, w.grant_ends_at, w.low_stock_at, k.parent_id, ${standing.columns.map((name) => `w.${name}`)}
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id`;

/** What authentication needs of a key, in one look-up by its digest. */
export interface Credential extends KeyEnd {
  caller: Caller;
}

/** A key of an erased workspace is no key any more. */
export function credentialOf(row: CredentialRow): Credential | undefined {
  const [keyId, workspaceId, scopes, expiresAt, revokedAt, plan, perMinute, perDay] = row;
  const [, , , , , , , , grantPerDay, grantEndsAt, low, parentId, ...rest] = row;
  const own = perMinute === null || perDay === null ? undefined : { perMinute, perDay };
  const current = standingOf(standing.recordOf(rest));
  if (current.state === 'erased') return undefined;
  return {
    caller: {
      keyId,
      workspaceId,
      scopes: scopesOf(scopes),
      plan,
      limits: { ...limitsOf(plan, own), ...grantOf(grantPerDay, grantEndsAt) },
      ...(current.state === 'active' ? {} : { standing: current }),
      ...(low === null ? {} : { lowStockAt: low }),
      ...(parentId === null ? {} : { parentId }),
    },
    expiresAt: expiresAt ?? undefined,
    revokedAt: revokedAt ?? undefined,
  };
}

export function scopesOf(text: string): Scope[] {
  return text.split(' ').filter(Boolean) as Scope[];
}
