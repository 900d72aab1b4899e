// When a webhook is due.

import sql, { raw, type Sql } from 'sql-template-tag';
import { RETRY_MAX_MS } from '../../domain/delivery.ts';
import type { DeliveryProgress, LeaseKey } from './delivery-progress.ts';

/** A webhook whose last attempt did not fail is due again within this time. */
const HEALTHY_MAX_MS = 60_000;

/** How far away due_at can be. */
export function waitMax(isFailing: boolean): Sql {
  return raw(String(isFailing ? RETRY_MAX_MS : HEALTHY_MAX_MS));
}

/** When a webhook that is given back is due. One that has delivered all events has nothing to do. */
export function dueAt(
  { webhook }: LeaseKey,
  { health, cursor, dueInMs }: DeliveryProgress,
  now: Sql,
) {
  if (health.state === 'disabled') return raw('NULL');
  if (dueInMs !== undefined) return sql`${now} + ${milliseconds(dueInMs)}`;
  return sql`CASE WHEN EXISTS (
    SELECT 1 FROM event_heads WHERE workspace_id = ${webhook.workspaceId} AND last_sequence > ${cursor}
  ) THEN ${now} ELSE NULL END`;
}

/** PostgreSQL cannot tell the type of a bare parameter in a sum. */
export function milliseconds(duration: number): Sql {
  return sql`CAST(${duration} AS BIGINT)`;
}
