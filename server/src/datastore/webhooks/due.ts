// When a webhook is due, and how late the service is with those that are.

import sql, { raw, type Sql } from 'sql-template-tag';
import { RETRY_MAX_MS, type WebhookHealth, webhookStates } from '../../domain/delivery.ts';
import type { WebhookLease } from '../../domain/webhook.ts';
import { databaseNow } from '../dialect.ts';
import { query, type Runner, statement, type Value } from '../runner.ts';

/** A webhook whose last attempt did not fail is due again within this time. */
const HEALTHY_MAX_MS = 60_000;
const DISABLED = raw(String(webhookStates.indexOf('disabled')));

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

export interface DueRequest {
  /** By the node's clock, which is used only on SQLite. */
  now: number;
  limit: number;
  /** Whether to return webhooks whose last attempt failed, or the others. */
  isFailing: boolean;
}

/** What a worker saves about the webhook that it holds. */
export interface DeliveryProgress {
  cursor: number;
  batchLast?: number;
  isVerified: boolean;
  health: WebhookHealth;
  /** When to send again. */
  retryInMs: number;
  /** When a worker must look at it again, at the latest; absent when that is with the next event. */
  dueInMs?: number | undefined;
  /** Whether others may take it now. */
  isReleased: boolean;
}

export type LeaseKey = Pick<WebhookLease, 'leaseNumber'> & {
  webhook: Pick<WebhookLease['webhook'], 'id' | 'workspaceId' | 'revision' | 'cursor'>;
};

/**
 * Makes the webhooks of a workspace due that have nothing to do. Call it in the transaction that gives an event its number,
 * after the head is locked: a webhook that is about to be left without work waits for the head too, and then sees the event.
 */
export async function wakeWebhooks(runner: Runner, workspaceId: number, nodeNow: number) {
  const wake = sql`UPDATE webhooks SET due_at = ${databaseNow(nodeNow)}
    WHERE workspace_id = ${workspaceId} AND due_at IS NULL AND state <> ${DISABLED}`;
  await runner.runLater(statement(wake.text), wake.values as Value[]);
}

/** How late the feeds and the webhooks of all workspaces are, in milliseconds. */
export interface Delays {
  /** The age of the oldest event that has no number yet; 0 if all have one. Events without a reader wait for a minute. */
  feedMs: number;
  /** The same for feeds with a webhook that has nothing to do until an event gets its number. */
  awaitedMs: number;
  /**
   * How long the webhook that is due longest has waited for a node. Receivers that fail, and webhooks of workspaces that are not
   * active, do not count.
   */
  webhookMs: number;
}

type DelayRow = readonly [
  now: number,
  arrivedAt: number | null,
  awaitedAt: number | null,
  dueAt: number | null,
];

/** Of how many workspaces the oldest arrival is looked at. */
const WORKSPACES_MAX = 1_000;

/** Looks at one arrival of each workspace that has any, however many it has. */
export async function readDelays(runner: Runner, nodeNow: number): Promise<Delays> {
  const rows = await query<DelayRow>(
    runner,
    sql`WITH RECURSIVE arrived (id) AS (
          SELECT MIN(workspace_id) FROM event_arrivals UNION ALL
          SELECT (SELECT MIN(a.workspace_id) FROM event_arrivals a WHERE a.workspace_id > arrived.id)
          FROM arrived WHERE arrived.id IS NOT NULL
        ), oldest AS (
          SELECT arrived.id, (
            SELECT a.at FROM event_arrivals a WHERE a.workspace_id = arrived.id ORDER BY a.id LIMIT 1
          ) AS at FROM arrived WHERE arrived.id IS NOT NULL LIMIT ${WORKSPACES_MAX}
        ) SELECT ${databaseNow(nodeNow)}, (SELECT MIN(at) FROM oldest), (
          SELECT MIN(at) FROM oldest WHERE EXISTS (
            SELECT 1 FROM webhooks w WHERE w.workspace_id = oldest.id AND w.due_at IS NULL
              AND w.state <> ${DISABLED} AND w.paused_at IS NULL
          )
        ), (
          SELECT MIN(due_at) FROM webhooks WHERE due_at IS NOT NULL AND paused_at IS NULL AND failures = 0
        )`,
  );
  const [now, arrivedAt, awaitedAt, dueAt] = rows[0]!;
  const since = (at: number | null) => (at === null ? 0 : Math.max(0, now - at));
  return { feedMs: since(arrivedAt), awaitedMs: since(awaitedAt), webhookMs: since(dueAt) };
}
