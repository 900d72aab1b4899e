// The work on webhooks: which are due, who delivers for them, how far they are, and what was tried.
//
// A lease belongs to one claim. Everything a worker writes names the number of its lease and the revision that it
// works on, so a worker that was overtaken by another changes nothing. One that was overtaken by the owner may still move
// the cursor, unless the owner has moved it or has changed which events follow it: then due_at is 0 until the next claim.
// Leases and retries are measured by one clock: that of the database where several nodes share it, the node's own on SQLite.

import sql, { join, raw, type Sql } from 'sql-template-tag';
import {
  type AttemptRecord,
  type ParkedRecord,
  RETRY_MAX_MS,
  webhookStates,
} from '../domain/delivery.ts';
import { ATTEMPTS_MAX, LEASE_MS, type WebhookLease } from '../domain/webhook.ts';
import { ATTEMPT_COLUMNS, attemptOf, attemptValues, parkedOf } from './attempts.ts';
import type { DeliveryProgress, DueRequest, LeaseKey } from './delivery-progress.ts';
import { databaseNow, dialectOf } from './dialect.ts';
import { byId, list, type Page, type PageRequest } from './list.ts';
import {
  DELETED_MAX,
  insertion,
  insertRow,
  query,
  Reader,
  runChange,
  statement,
} from './runner.ts';
import {
  type SecretsRow,
  secretsOf,
  WEBHOOK_COLUMNS,
  type WebhookRow,
  webhookOf,
} from './webhooks.ts';

type LeaseRow = readonly [number, number, ...SecretsRow, ...WebhookRow];

const DISABLED = webhookStates.indexOf('disabled');
const UNVERIFIED = webhookStates.indexOf('unverified');
const END_FAILURES = `, failures = 0, rejections = 0, failing_since = NULL,
  state = CASE state WHEN ${webhookStates.indexOf('failing')} THEN ${webhookStates.indexOf('enabled')} ELSE state END`;
/** A webhook whose last attempt did not fail is due again within this time. */
const HEALTHY_MAX_MS = 60_000;

const WITH_WORK = `FROM webhooks w LEFT JOIN event_heads h ON h.workspace_id = w.workspace_id
  WHERE w.state <> ${DISABLED}
    AND (w.cursor < h.last_sequence OR w.state = ${UNVERIFIED} OR w.failures > 0)`;

const listWorkspaces = statement<readonly [number]>(
  `SELECT DISTINCT workspace_id FROM webhooks WHERE state <> ${DISABLED}`,
);
const countByState = statement<readonly [state: number, webhooks: number, behind: number]>(
  `SELECT w.state, count(*),
     CAST(SUM(COALESCE(h.last_sequence, w.cursor) - w.cursor + COALESCE(a.arrivals, 0)) AS BIGINT)
   FROM webhooks w LEFT JOIN event_heads h ON h.workspace_id = w.workspace_id
   LEFT JOIN (
     SELECT workspace_id, count(*) AS arrivals FROM event_arrivals GROUP BY workspace_id
   ) a ON a.workspace_id = w.workspace_id GROUP BY w.state`,
);
const countParked = statement<readonly [number]>(
  'SELECT count(*) FROM webhook_parked WHERE webhook_id = $1',
);
const countPings = statement<readonly [number]>(
  `SELECT count(*) FROM webhook_attempts
   WHERE webhook_id = $1 AND first_sequence IS NULL AND last_sequence IS NULL AND at > $2`,
);
const insertParked = statement(
  `INSERT INTO webhook_parked (webhook_id, sequence, attempts, status, parked_at)
   VALUES ($1, $2, $3, $4, $5) ON CONFLICT (webhook_id, sequence) DO NOTHING`,
);
const deleteParked = statement(
  'DELETE FROM webhook_parked WHERE webhook_id = $1 AND sequence = $2',
);
const insertAttempt = insertion(
  `INSERT INTO webhook_attempts (webhook_id, first_sequence, last_sequence, attempt, at, duration_ms, outcome, status,
     excerpt) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const trimAttempts = statement(
  `DELETE FROM webhook_attempts WHERE webhook_id = $1 AND id <= (
     SELECT id FROM webhook_attempts WHERE webhook_id = $1 ORDER BY id DESC LIMIT 1 OFFSET ${ATTEMPTS_MAX}
   )`,
);
const deleteAttempts = statement(
  `DELETE FROM webhook_attempts WHERE id IN (
     SELECT id FROM webhook_attempts WHERE at < $1 ORDER BY at LIMIT ${DELETED_MAX}
   )`,
);
const freeLeases = statement('UPDATE webhooks SET lease_until = 0 WHERE lease_until > 0');

export class DeliveryReader extends Reader {
  /** Webhooks without a lease that have something to do, those that have waited longest first. */
  async due(request: DueRequest): Promise<number[]> {
    const now = this.now(request.now);
    const failing = raw(request.isFailing ? '> 0' : '= 0');
    const rows = await query<readonly [number]>(
      this.runner,
      sql`SELECT w.id ${raw(WITH_WORK)} AND w.failures ${failing} AND ${isFree(now)}
          ORDER BY w.due_at, w.id LIMIT ${request.limit}`,
    );
    return rows.map(([id]) => id);
  }

  /** Milliseconds until the next webhook with work becomes due; undefined if none waits. */
  async nextDueInMs(nodeNow: number): Promise<number | undefined> {
    const now = this.now(nodeNow);
    const rows = await query<readonly [number | null]>(
      this.runner,
      sql`SELECT MIN(w.due_at) - ${now} ${raw(WITH_WORK)} AND w.due_at > ${now}`,
    );
    return rows[0]![0] ?? undefined;
  }

  /** Workspaces that have a webhook which is not disabled. */
  async workspaces(): Promise<number[]> {
    return (await this.runner.rows(listWorkspaces, [])).map(([id]) => id);
  }

  /** How many webhooks there are in each state, and how many events come after their cursors. */
  async countByState() {
    const rows = await this.runner.rows(countByState, []);
    return webhookStates.map((state, at) => {
      const [, webhooks, behind] = rows.find(([found]) => found === at) ?? [at, 0, 0];
      return { state, webhooks, behind };
    });
  }

  attempts(
    webhookId: number,
    outcome: string | undefined,
    page: PageRequest,
  ): Promise<Page<AttemptRecord>> {
    const where = sql`webhook_id = ${webhookId}`;
    const filters = outcome === undefined ? [] : [sql`outcome = ${outcome}`];
    const columns = ATTEMPT_COLUMNS.split(', ');
    const all = { table: 'webhook_attempts', columns, itemOf: attemptOf };
    return list(this.runner, { ...all, where, order: byId, filters }, page);
  }

  parked(webhookId: number, page: PageRequest): Promise<Page<ParkedRecord>> {
    const columns = ['sequence', 'attempts', 'status', 'parked_at'];
    const where = sql`webhook_id = ${webhookId}`;
    const order = [{ name: 'sequence', type: 'number' } as const];
    const all = { table: 'webhook_parked', columns, itemOf: parkedOf };
    return list(this.runner, { ...all, where, order }, page);
  }

  async countParked(webhookId: number): Promise<number> {
    return (await this.runner.row(countParked, [webhookId]))![0];
  }

  async countPings(webhookId: number, since: number): Promise<number> {
    return (await this.runner.row(countPings, [webhookId, since]))![0];
  }

  /** The clock by which leases and retries are measured. */
  protected now(nodeNow: number): Sql {
    return databaseNow(this.runner, nodeNow);
  }
}

export class DeliveryWriter extends DeliveryReader {
  /** Takes the lease of those that are still free and due; another node may have been first. */
  async claim(ids: readonly number[], nodeNow: number): Promise<WebhookLease[]> {
    if (ids.length === 0) return [];
    const now = this.now(nodeNow);
    const { forUpdateSkippingLocked } = dialectOf(this.runner);
    const rows = await query<LeaseRow>(
      this.runner,
      sql`UPDATE webhooks SET lease_until = ${now} + ${raw(String(LEASE_MS))}, lease_number = lease_number + 1,
            due_at = ${now}
          WHERE id IN (
            SELECT id FROM webhooks w WHERE id IN (${join([...ids])}) AND state <> ${raw(String(DISABLED))}
              AND ${isFree(now)} ORDER BY id${raw(forUpdateSkippingLocked)}
          ) RETURNING lease_number, lease_until, secret, previous_secret, previous_until, ${raw(WEBHOOK_COLUMNS)}`,
    );
    return rows.map(leaseOf);
  }

  /**
   * Renews the lease, or gives it back. False when it has passed to another node, or the owner has changed the webhook
   * meanwhile.
   */
  async save(lease: LeaseKey, progress: DeliveryProgress, nodeNow: number): Promise<boolean> {
    const now = this.now(nodeNow);
    const { standing, isVerified, retryInMs, dueInMs, isReleased } = progress;
    const leaseUntil = isReleased ? raw('0') : sql`${now} + ${raw(String(LEASE_MS))}`;
    const saving = sql`UPDATE webhooks SET cursor = ${progress.cursor}, batch_last = ${progress.batchLast ?? null},
        is_verified = ${isVerified ? 1 : 0}, state = ${webhookStates.indexOf(standing.state)},
        state_reason = ${standing.stateReason ?? null}, failures = ${standing.failures},
        rejections = ${standing.rejections}, failing_since = ${standing.failingSince ?? null},
        retry_at = ${now} + ${milliseconds(retryInMs)}, due_at = ${now} + ${milliseconds(dueInMs)},
        lease_until = ${leaseUntil}
      WHERE id = ${lease.webhook.id} AND lease_number = ${lease.leaseNumber} AND revision = ${lease.webhook.revision}`;
    return (await runChange(this.runner, saving)) === 1;
  }

  /**
   * Gives a lease back with its cursor alone. A cursor that has moved ends a series of failures. False when the lease has
   * passed to another node, or its progress is void.
   */
  async saveCursor(
    { webhook, leaseNumber }: LeaseKey,
    { cursor, batchLast = null }: { cursor: number; batchLast?: number | null },
  ): Promise<boolean> {
    const ended = raw(cursor > webhook.cursor ? END_FAILURES : '');
    const saving = sql`UPDATE webhooks SET cursor = ${cursor}, batch_last = ${batchLast}, lease_until = 0 ${ended}
      WHERE id = ${webhook.id} AND lease_number = ${leaseNumber} AND due_at > 0`;
    return (await runChange(this.runner, saving)) === 1;
  }

  /** Gives a lease back without changing anything else; false when it has passed to another node. */
  async release({ webhook, leaseNumber }: LeaseKey): Promise<boolean> {
    const releasing = sql`UPDATE webhooks SET lease_until = 0
      WHERE id = ${webhook.id} AND lease_number = ${leaseNumber}`;
    return (await runChange(this.runner, releasing)) === 1;
  }

  /** Only where no other node can hold one. */
  async releaseAll(): Promise<void> {
    await this.runner.run(freeLeases, []);
  }

  async park(webhookId: number, parked: ParkedRecord): Promise<void> {
    const { sequence, attempts, status = null, parkedAt } = parked;
    await this.runner.run(insertParked, [webhookId, sequence, attempts, status, parkedAt]);
  }

  async unpark(webhookId: number, sequence: number): Promise<boolean> {
    return (await this.runner.run(deleteParked, [webhookId, sequence])) === 1;
  }

  /** Keeps the newest of them. */
  async addAttempts(
    webhookId: number,
    attempts: readonly Omit<AttemptRecord, 'id'>[],
  ): Promise<AttemptRecord[]> {
    const added: AttemptRecord[] = [];
    for (const attempt of attempts) {
      const values = [webhookId, ...attemptValues(attempt)];
      const id = (await insertRow(this.runner, insertAttempt, values))!;
      added.push({ id, ...attempt });
    }
    if (added.length > 0) await this.runner.run(trimAttempts, [webhookId]);
    return added;
  }

  /** Deletes up to DELETED_MAX attempts that were made before this instant. Returns how many. */
  deleteAttempts(before: number): Promise<number> {
    return this.runner.run(deleteAttempts, [before]);
  }
}

/**
 * Whether a webhook is due and has no lease. An instant that is further away than it can have been set means that the clock
 * was set back: it must not keep a webhook silent until the clock has caught up.
 */
function isFree(now: Sql): Sql {
  const waitMax = raw(`CASE WHEN w.failures = 0 THEN ${HEALTHY_MAX_MS} ELSE ${RETRY_MAX_MS} END`);
  return sql`(w.due_at <= ${now} OR w.due_at > ${now} + ${waitMax})
    AND (w.lease_until <= ${now} OR w.lease_until > ${now} + ${raw(String(LEASE_MS))})`;
}

/** PostgreSQL cannot tell the type of a bare parameter in a sum. */
function milliseconds(duration: number): Sql {
  return sql`CAST(${duration} AS BIGINT)`;
}

function leaseOf([leaseNumber, leaseUntil, ...row]: LeaseRow): WebhookLease {
  const [current, previous, previousUntil, ...webhook] = row;
  const secrets = secretsOf([current, previous, previousUntil]);
  return { leaseNumber, now: leaseUntil - LEASE_MS, secrets, webhook: webhookOf(webhook) };
}
