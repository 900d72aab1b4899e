// The work on webhooks: which are due, who delivers for them, how far they are, and what was tried.
//
// A webhook with nothing to do has no due_at. The transaction that numbers an event sets it (`wakeWebhooks`), and a node that
// looks for work asks an index for those that are due. A lease moves due_at to its own end, so a webhook whose node has died
// is due again by itself.
//
// Everything a worker writes names the number of its lease and the revision that it works on, so a worker that was overtaken
// by another changes nothing. One that was overtaken by the owner may still move the cursor, unless the owner has moved it or
// has changed which events follow it. Leases and retries are measured by one clock: that of the database where several nodes
// share it, the node's own on SQLite.

import sql, { join, raw, type Sql } from 'sql-template-tag';
import { type AttemptRecord, type ParkedRecord, webhookStates } from '../../domain/delivery.ts';
import { ATTEMPTS_MAX, LEASE_MS, type WebhookLease } from '../../domain/webhook.ts';
import { databaseNow, dialectOf } from '../dialect.ts';
import { byId, list, type Page, type PageRequest } from '../list.ts';
import {
  insertion,
  insertRow,
  lockingStatement,
  query,
  Reader,
  type Row,
  runChange,
  statement,
} from '../runner.ts';
import { ownersOf } from '../table.ts';
import { attemptTable, countParked, parkedTable } from './attempts.ts';
import {
  type Delays,
  type DeliveryProgress,
  type DueRequest,
  dueAt,
  type LeaseKey,
  milliseconds,
  readDelays,
  waitMax,
} from './due.ts';
import {
  ARRIVALS_COUNTED_MAX,
  type SecretsRow,
  secretsOf,
  type WebhookKey,
  webhookOf,
  webhookTable,
} from './webhooks.ts';

type LeaseRow = readonly [number, number, ...SecretsRow, ...Row];

const DISABLED = webhookStates.indexOf('disabled');
const END_FAILURES = `, failures = 0, rejections = 0, failing_since = NULL,
  state = CASE state WHEN ${webhookStates.indexOf('failing')} THEN ${webhookStates.indexOf('enabled')} ELSE state END`;
const countByState = statement<readonly [state: number, webhooks: number, behind: number]>(
  `SELECT w.state, count(*),
     CAST(SUM(COALESCE(h.last_sequence, w.cursor) - w.cursor + COALESCE(a.arrivals, 0)) AS BIGINT)
   FROM webhooks w LEFT JOIN event_heads h ON h.workspace_id = w.workspace_id
   LEFT JOIN (
     SELECT workspace_id, count(*) AS arrivals FROM (
       SELECT workspace_id FROM event_arrivals ORDER BY workspace_id, id LIMIT ${ARRIVALS_COUNTED_MAX}
     ) AS arrived GROUP BY workspace_id
   ) a ON a.workspace_id = w.workspace_id GROUP BY w.state`,
);
const countPings = statement<readonly [number]>(
  `SELECT count(*) FROM webhook_attempts
   WHERE workspace_id = $1 AND webhook_id = $2 AND first_sequence IS NULL AND is_verification = 0 AND at > $3`,
);
const insertParked = statement(
  `INSERT INTO webhook_parked (workspace_id, webhook_id, ${parkedTable.columns})
   VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (workspace_id, webhook_id, sequence) DO NOTHING`,
);
const deleteParked = statement(
  'DELETE FROM webhook_parked WHERE workspace_id = $1 AND webhook_id = $2 AND sequence = $3',
);
const insertAttempt = insertion(
  `INSERT INTO webhook_attempts (workspace_id, webhook_id, ${attemptTable.columns.slice(1)})
   VALUES ($1, $2, ${attemptTable.columns.slice(1).map((_, at) => `$${at + 3}`)})`,
);
const trimAttempts = statement(
  `DELETE FROM webhook_attempts WHERE workspace_id = $1 AND webhook_id = $2 AND id <= (
     SELECT id FROM webhook_attempts WHERE workspace_id = $1 AND webhook_id = $2
     ORDER BY id DESC LIMIT 1 OFFSET ${ATTEMPTS_MAX}
   )`,
);
const listToNumber = statement<readonly [workspaceId: number, isAwaited: number]>(
  `${ownersOf('event_arrivals')} SELECT id, CASE WHEN EXISTS (
     SELECT 1 FROM webhooks WHERE workspace_id = owners.id AND due_at IS NULL AND state <> ${DISABLED}
   ) THEN 1 ELSE 0 END FROM owners ORDER BY id`,
);
const lockHead = lockingStatement<readonly [number]>(
  'SELECT last_sequence FROM event_heads WHERE workspace_id = $1',
);

export class DeliveryReader extends Reader {
  /**
   * Webhooks that are due, those that have waited longest first. An instant that is further away than it can have been set
   * means that the clock was set back: it must not keep a webhook silent until the clock has caught up.
   */
  async due(request: DueRequest): Promise<WebhookKey[]> {
    const { isFailing, limit } = request;
    const now = sql`(SELECT ${databaseNow(request.now)})`;
    const failing = raw(isFailing ? 'failures > 0' : 'failures = 0');
    const among = (due: Sql) =>
      sql`SELECT workspace_id, id FROM (SELECT workspace_id, id FROM webhooks WHERE ${failing} AND paused_at IS NULL AND ${due}
            ORDER BY due_at LIMIT ${limit}) found`;
    const rows = await query<readonly [workspaceId: number, id: number]>(
      this.runner,
      sql`${among(sql`due_at <= ${now}`)} UNION ALL
          ${among(sql`due_at > ${now} + ${waitMax(isFailing)}`)} LIMIT ${limit}`,
    );
    return rows.map(([workspaceId, id]) => ({ workspaceId, id }));
  }

  /**
   * Workspaces with events that must be numbered before a webhook learns of them. Looks at up to `limit` of those with events
   * without a number, after this one. `end` is the last of them, if there may be more.
   */
  async workspacesToNumber(after: number, limit: number) {
    const rows = await this.runner.rows(listToNumber, [after, limit]);
    const workspaceIds = rows.filter(([, isAwaited]) => isAwaited === 1).map(([id]) => id);
    return { workspaceIds, end: rows.length < limit ? undefined : rows.at(-1)![0] };
  }

  /** How many webhooks there are in each state, and how many events come after their cursors. It reads all webhooks. */
  async countByState() {
    const rows = await this.runner.rows(countByState, []);
    return webhookStates.map((state, at) => {
      const [, webhooks, behind] = rows.find(([found]) => found === at) ?? [at, 0, 0];
      return { state, webhooks, behind };
    });
  }

  delays(nodeNow: number): Promise<Delays> {
    return readDelays(this.runner, nodeNow);
  }

  attempts(
    webhook: WebhookKey,
    outcome: string | undefined,
    page: PageRequest,
  ): Promise<Page<AttemptRecord>> {
    const { workspaceId } = webhook;
    const filters = outcome === undefined ? [] : [sql`outcome = ${outcome}`];
    const { columns } = attemptTable;
    const itemOf = (row: Row) => attemptTable.recordOf(row);
    const all = { table: 'webhook_attempts', columns, itemOf, workspaceId };
    return list(this.runner, { ...all, ...pathOf(webhook), order: byId, filters }, page);
  }

  parked(webhook: WebhookKey, page: PageRequest): Promise<Page<ParkedRecord>> {
    const { workspaceId } = webhook;
    const { columns } = parkedTable;
    const itemOf = (row: Row) => parkedTable.recordOf(row);
    const order = [{ name: 'sequence', type: 'number' } as const];
    const all = { table: 'webhook_parked', columns, itemOf, workspaceId };
    return list(this.runner, { ...all, ...pathOf(webhook), order }, page);
  }

  async countParked({ workspaceId, id }: WebhookKey): Promise<number> {
    return (await countParked(this.runner, workspaceId, [id])).get(id) ?? 0;
  }

  async countPings({ workspaceId, id }: WebhookKey, since: number): Promise<number> {
    return (await this.runner.row(countPings, [workspaceId, id, since]))![0];
  }
}

export class DeliveryWriter extends DeliveryReader {
  /** Takes the lease of those that are still due; another node may have been first. */
  async lease(webhooks: readonly WebhookKey[], nodeNow: number): Promise<WebhookLease[]> {
    if (webhooks.length === 0) return [];
    const now = databaseNow(nodeNow);
    const until = sql`${now} + ${raw(String(LEASE_MS))}`;
    const { forUpdateSkippingLocked } = dialectOf(this.runner);
    const isDue = sql`due_at <= ${now} OR due_at > ${now}
      + CASE WHEN failures = 0 THEN ${waitMax(false)} ELSE ${waitMax(true)} END`;
    const int = (value: number) => sql`CAST(${value} AS BIGINT)`;
    const keys = webhooks.map(({ workspaceId, id }) => sql`(${int(workspaceId)}, ${int(id)})`);
    const rows = await query<LeaseRow>(
      this.runner,
      sql`UPDATE webhooks SET leased_until = ${until}, due_at = ${until}, lease_number = lease_number + 1
          WHERE (workspace_id, id) IN (
            SELECT workspace_id, id FROM webhooks
            WHERE (workspace_id, id) IN (VALUES ${join(keys)}) AND paused_at IS NULL AND (${isDue})
            ORDER BY id${raw(forUpdateSkippingLocked)}
          ) RETURNING lease_number, leased_until, secret, previous_secret, previous_until, ${raw(webhookTable.columns.join(', '))}`,
    );
    return rows.map(leaseOf);
  }

  /**
   * Renews the lease, or gives it back. False when it has passed to another node, or the owner has changed the webhook
   * meanwhile.
   */
  async save(lease: LeaseKey, progress: DeliveryProgress, nodeNow: number): Promise<boolean> {
    const now = databaseNow(nodeNow);
    const { health, isVerified, retryInMs, isReleased } = progress;
    if (isReleased && progress.dueInMs === undefined) {
      // What is being numbered now is seen below; what is numbered later finds a webhook without work, and wakes it.
      await this.runner.row(lockHead, [lease.webhook.workspaceId]);
    }
    const until = sql`${now} + ${raw(String(LEASE_MS))}`;
    const retryAt = health.failures > 0 ? sql`${now} + ${milliseconds(retryInMs)}` : raw('NULL');
    const saving = sql`UPDATE webhooks SET cursor = ${progress.cursor}, batch_last = ${progress.batchLast ?? null},
        is_verified = ${isVerified ? 1 : 0}, state = ${webhookStates.indexOf(health.state)},
        state_reason = ${health.stateReason ?? null}, failures = ${health.failures},
        rejections = ${health.rejections}, failing_since = ${health.failingSince ?? null},
        retry_at = ${retryAt}, leased_until = ${isReleased ? raw('NULL') : until},
        due_at = ${isReleased ? dueAt(lease, progress, now) : until}
      WHERE ${ofLease(lease)} AND revision = ${lease.webhook.revision}`;
    return (await runChange(this.runner, saving)) === 1;
  }

  /**
   * Gives a lease back with its cursor alone. A cursor that has moved ends a series of failures. False when the lease has
   * passed to another node, or its progress is void.
   */
  async saveCursor(
    lease: LeaseKey,
    { cursor, batchLast = null }: { cursor: number; batchLast?: number | null },
    nodeNow: number,
  ): Promise<boolean> {
    const ended = raw(cursor > lease.webhook.cursor ? END_FAILURES : '');
    const saving = sql`UPDATE webhooks SET cursor = ${cursor}, batch_last = ${batchLast}, ${this.#given(nodeNow)} ${ended}
      WHERE ${ofLease(lease)} AND cursor_revision <= ${lease.webhook.revision}`;
    return (await runChange(this.runner, saving)) === 1;
  }

  /** Gives a lease back without changing anything else; false when it has passed to another node. */
  async release(lease: LeaseKey, nodeNow: number): Promise<boolean> {
    const releasing = sql`UPDATE webhooks SET ${this.#given(nodeNow)} WHERE ${ofLease(lease)}`;
    return (await runChange(this.runner, releasing)) === 1;
  }

  /** Only where no other node can hold one. */
  async releaseAll(nodeNow: number): Promise<void> {
    await runChange(
      this.runner,
      sql`UPDATE webhooks SET ${this.#given(nodeNow)} WHERE leased_until IS NOT NULL`,
    );
  }

  async park({ workspaceId, id }: WebhookKey, parked: ParkedRecord): Promise<void> {
    const values = [workspaceId, id, ...parkedTable.valuesOf(parked)];
    await this.runner.run(insertParked, values);
  }

  async unpark({ workspaceId, id }: WebhookKey, sequence: number): Promise<boolean> {
    return (await this.runner.run(deleteParked, [workspaceId, id, sequence])) === 1;
  }

  /** Keeps the newest of them. */
  async addAttempts(
    { workspaceId, id: webhookId }: WebhookKey,
    attempts: readonly Omit<AttemptRecord, 'id'>[],
  ): Promise<AttemptRecord[]> {
    const added: AttemptRecord[] = [];
    for (const attempt of attempts) {
      const [, ...own] = attemptTable.valuesOf({ id: 0, ...attempt });
      const id = (await insertRow(this.runner, insertAttempt, [workspaceId, webhookId, ...own]))!;
      added.push({ id, ...attempt });
    }
    if (added.length > 0) await this.runner.run(trimAttempts, [workspaceId, webhookId]);
    return added;
  }

  /** Without a lease, and due at once unless it is disabled. */
  #given(nodeNow: number): Sql {
    return sql`leased_until = NULL,
      due_at = CASE WHEN state = ${raw(String(DISABLED))} THEN NULL ELSE ${databaseNow(nodeNow)} END`;
  }
}

function pathOf({ workspaceId, id }: WebhookKey) {
  const where = sql`workspace_id = ${workspaceId}`;
  return { where, along: { column: 'webhook_id', value: id } };
}

function ofLease({ webhook: { workspaceId, id }, leaseNumber }: LeaseKey): Sql {
  return sql`workspace_id = ${workspaceId} AND id = ${id} AND lease_number = ${leaseNumber}`;
}

function leaseOf([leaseNumber, leasedUntil, ...row]: LeaseRow): WebhookLease {
  const [current, previous, previousUntil, ...webhook] = row;
  const secrets = secretsOf([current, previous, previousUntil]);
  return { leaseNumber, now: leasedUntil - LEASE_MS, secrets, webhook: webhookOf(webhook) };
}
