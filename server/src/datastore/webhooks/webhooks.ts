import sql, { raw, type Sql } from 'sql-template-tag';
import { type StateReason, webhookStates } from '../../domain/delivery.ts';
import type { SealedSecrets, WebhookRecord } from '../../domain/webhook.ts';
import { recordChange } from '../cluster/changes.ts';
import { databaseNow } from '../dialect.ts';
import { byId, list, type Page, type PageRequest } from '../list.ts';
import {
  insertion,
  insertRow,
  lockingStatement,
  Reader,
  runChange,
  statement,
  type Value,
} from '../runner.ts';

export type WebhookRow = readonly [
  id: number,
  workspaceId: number,
  url: string,
  types: string,
  description: string | null,
  batchMax: number,
  perSecondMax: number,
  isVerified: number,
  state: number,
  stateReason: StateReason | null,
  failures: number,
  rejections: number,
  failingSince: number | null,
  cursor: number,
  batchLast: number | null,
  retryAt: number | null,
  revision: number,
  secretHint: string,
  previousUntil: number | null,
  createdAt: number,
];
export type SecretsRow = readonly [
  current: string,
  previous: string | null,
  previousUntil: number | null,
];

const DISABLED = String(webhookStates.indexOf('disabled'));

export const WEBHOOK_COLUMNS = `id, workspace_id, url, types, description, batch_max, per_second_max, is_verified,
  state, state_reason, failures, rejections, failing_since, cursor, batch_last, retry_at, revision, secret_hint,
  previous_until, created_at`;
const find = `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE id = $1 AND workspace_id = $2`;
const findRecord = statement<WebhookRow>(find);
const findRecordAndLock = lockingStatement<WebhookRow>(find);
const findSecrets = statement<SecretsRow>(
  'SELECT secret, previous_secret, previous_until FROM webhooks WHERE id = $1 AND workspace_id = $2',
);
const count = statement<readonly [number]>('SELECT count(*) FROM webhooks WHERE workspace_id = $1');
const countBehind = statement<readonly [number]>(
  `SELECT COALESCE((SELECT last_sequence FROM event_heads WHERE workspace_id = $1), 0) - $2
     + (SELECT count(*) FROM event_arrivals WHERE workspace_id = $1)`,
);
const listSeals = statement<readonly [string]>(
  `SELECT DISTINCT substr(secret, 1, $1) FROM webhooks UNION
   SELECT DISTINCT substr(previous_secret, 1, $1) FROM webhooks WHERE previous_until > $2`,
);
const listSealedBy = statement<readonly [workspaceId: number, id: number]>(
  `SELECT workspace_id, id FROM webhooks
   WHERE substr(secret, 1, $1) = $2 OR (substr(previous_secret, 1, $1) = $2 AND previous_until > $3)
   ORDER BY id LIMIT 500`,
);
const insert = insertion(
  `INSERT INTO webhooks (workspace_id, url, types, description, batch_max, per_second_max, is_verified, state, state_reason,
     failures, rejections, failing_since, cursor, batch_last, due_at, revision, cursor_revision, lease_number,
     secret, secret_hint, created_at, paused_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $18, 1, 1, 0, $15, $16, $17,
     (SELECT CASE WHEN state = 'active' THEN NULL ELSE CAST($17 AS BIGINT) END FROM workspaces WHERE id = $1))`,
);
const pause = statement<readonly [id: number]>(
  `UPDATE webhooks SET paused_at = $2 WHERE workspace_id = $1 AND paused_at IS NULL RETURNING id`,
);
// The time of the pause counts towards no series of failures.
const unpause = statement<readonly [id: number]>(
  `UPDATE webhooks SET paused_at = NULL, failing_since = failing_since + (CAST($2 AS BIGINT) - paused_at)
   WHERE workspace_id = $1 AND paused_at IS NOT NULL RETURNING id`,
);
const update = statement(
  `UPDATE webhooks SET url = $3, types = $4, description = $5, batch_max = $6, per_second_max = $7, is_verified = $8,
     state = $9, state_reason = $10, failures = $11, rejections = $12, failing_since = $13, cursor = $14, batch_last = $15,
     due_at = CASE WHEN CAST($9 AS BIGINT) = ${DISABLED} THEN NULL ELSE due_at END
   WHERE id = $1 AND workspace_id = $2`,
);
/** When its lease ends, or at once if it has none: two nodes must not deliver for it at the same time. */
const due = (now: Sql) => sql`CASE WHEN state = ${raw(DISABLED)} THEN NULL
  WHEN leased_until > ${now} THEN leased_until ELSE ${now} END`;
const replaceSecrets = statement(
  `UPDATE webhooks SET secret = $3, secret_hint = $4, previous_secret = $5, previous_until = $6, revision = revision + 1
   WHERE id = $1 AND workspace_id = $2`,
);
const removals = [
  'webhook_attempts WHERE webhook_id',
  'webhook_parked WHERE webhook_id',
  'webhooks WHERE id',
];
const remove = removals.map((rows) => statement(`DELETE FROM ${rows} = $1 AND workspace_id = $2`));

/** Names a webhook. */
export type WebhookKey = Pick<WebhookRecord, 'workspaceId' | 'id'>;
type NewWebhook = Omit<WebhookRecord, 'id' | 'retryAt' | 'revision'>;

export class WebhookReader extends Reader {
  async find(workspaceId: number, id: number): Promise<WebhookRecord | undefined> {
    const row = await this.runner.row(findRecord, [id, workspaceId]);
    return row && webhookOf(row);
  }

  async findSecrets({ workspaceId, id }: WebhookKey): Promise<SealedSecrets | undefined> {
    const row = await this.runner.row(findSecrets, [id, workspaceId]);
    return row && secretsOf(row);
  }

  list(workspaceId: number, page: PageRequest): Promise<Page<WebhookRecord>> {
    const columns = WEBHOOK_COLUMNS.split(/,\s*/);
    const own = { table: 'webhooks', columns, itemOf: webhookOf, workspaceId };
    const where = sql`workspace_id = ${workspaceId}`;
    return list(this.runner, { ...own, where, order: byId }, page);
  }

  async count(workspaceId: number): Promise<number> {
    return (await this.runner.row(count, [workspaceId]))![0];
  }

  /** How many events come after the cursor, including those that have arrived and are not numbered yet. */
  async countBehind({ workspaceId, cursor }: WebhookRecord): Promise<number> {
    const [behind] = (await this.runner.row(countBehind, [workspaceId, cursor]))!;
    return Math.max(0, behind);
  }

  /** The first characters of all sealed secrets in force, each once: they name the keys that sealed them. */
  async sealNames(length: number, now: number): Promise<string[]> {
    return (await this.runner.rows(listSeals, [length, now])).map(([name]) => name);
  }

  /** Webhooks with a secret in force that begins like this, at most 500. */
  async listSealedBy(name: string, now: number): Promise<WebhookKey[]> {
    const rows = await this.runner.rows(listSealedBy, [name.length, name, now]);
    return rows.map(([workspaceId, id]) => ({ workspaceId, id }));
  }
}

export class WebhookWriter extends WebhookReader {
  async findAndLock(workspaceId: number, id: number): Promise<WebhookRecord | undefined> {
    const row = await this.runner.row(findRecordAndLock, [id, workspaceId]);
    return row && webhookOf(row);
  }

  /** A new webhook is due at once, unless it is disabled. */
  async create(webhook: NewWebhook, secret: string): Promise<WebhookRecord> {
    const { workspaceId, secretHint, createdAt } = webhook;
    const dueAt = webhook.state === 'disabled' ? null : createdAt;
    const values = [workspaceId, ...webhookValues(webhook), secret, secretHint, createdAt, dueAt];
    const id = (await insertRow(this.runner, insert, values))!;
    await this.#record({ workspaceId, id });
    return { id, ...webhook, revision: 1 };
  }

  /** Saves what the owner may change of a webhook that this transaction has locked. */
  async update(webhook: WebhookRecord): Promise<void> {
    await this.runner.run(update, [webhook.id, webhook.workspaceId, ...webhookValues(webhook)]);
    await this.#record(webhook);
  }

  /** From now on a delivery that is under way only moves the cursor, and the next is due at once. */
  async resume(webhook: WebhookKey, nodeNow: number): Promise<void> {
    await this.#makeDue(webhook, nodeNow, 'cursor_revision');
  }

  /** From now on a delivery that is under way counts for nothing, and the next is due at once. */
  async restart(webhook: WebhookKey, nodeNow: number): Promise<void> {
    await this.#makeDue(webhook, nodeNow, 'revision + 1');
  }

  async replaceSecrets(
    webhook: WebhookKey,
    { current, hint, previous, previousUntil }: SealedSecrets & { hint: string },
  ): Promise<void> {
    const { id, workspaceId } = webhook;
    const values = [id, workspaceId, current, hint, previous ?? null, previousUntil ?? null];
    await this.runner.run(replaceSecrets, values);
    await this.#record(webhook);
  }

  /** Removes a webhook that this transaction has locked, with all that is kept about it. */
  async delete(webhook: WebhookKey): Promise<void> {
    const { id, workspaceId } = webhook;
    for (const statement of remove) await this.runner.run(statement, [id, workspaceId]);
    await this.#record(webhook);
  }

  /** From now on nothing is sent to the webhooks of the workspace, beyond the requests under way. */
  pauseAll(workspaceId: number, now: number): Promise<void> {
    return this.#changeAll(pause, workspaceId, now);
  }

  /** From now on they go on where they were. What has become due meanwhile is due at once. */
  unpauseAll(workspaceId: number, now: number): Promise<void> {
    return this.#changeAll(unpause, workspaceId, now);
  }

  async #changeAll(change: typeof pause, workspaceId: number, now: number): Promise<void> {
    for (const [id] of await this.runner.rows(change, [workspaceId, now])) {
      await this.#record({ workspaceId, id });
    }
  }

  async #makeDue(webhook: WebhookKey, nodeNow: number, cursorRevision: string): Promise<void> {
    const now = databaseNow(nodeNow);
    await runChange(
      this.runner,
      sql`UPDATE webhooks SET revision = revision + 1, cursor_revision = ${raw(cursorRevision)},
            retry_at = NULL, due_at = ${due(now)}
          WHERE id = ${webhook.id} AND workspace_id = ${webhook.workspaceId}`,
    );
    await this.#record(webhook);
  }

  /** A node that delivers for it must learn of the change. */
  #record({ workspaceId, id }: WebhookKey): Promise<void> {
    return recordChange(this.runner, { workspaceId, kind: 'webhook', subject: String(id) });
  }
}

/** The values of the columns that `insert` and `update` have in common, in their order. */
function webhookValues(webhook: NewWebhook): Value[] {
  return [
    webhook.url,
    webhook.types.join(' '),
    webhook.description ?? null,
    webhook.batchMax,
    webhook.perSecondMax,
    webhook.isVerified ? 1 : 0,
    webhookStates.indexOf(webhook.state),
    webhook.stateReason ?? null,
    webhook.failures,
    webhook.rejections,
    webhook.failingSince ?? null,
    webhook.cursor,
    webhook.batchLast ?? null,
  ];
}

export function secretsOf([current, previous, previousUntil]: SecretsRow): SealedSecrets {
  return {
    current,
    ...(previous === null ? {} : { previous }),
    ...(previousUntil === null ? {} : { previousUntil }),
  };
}

export function webhookOf(row: WebhookRow): WebhookRecord {
  const [
    id,
    workspaceId,
    url,
    types,
    description,
    batchMax,
    perSecondMax,
    isVerified,
    state,
    ...rest
  ] = row;
  const [stateReason, failures, rejections, failingSince, cursor, batchLast, retryAt, ...last] =
    rest;
  const [revision, secretHint, previousUntil, createdAt] = last;
  return {
    id,
    workspaceId,
    url,
    types: types.split(' '),
    ...(description === null ? {} : { description }),
    batchMax,
    perSecondMax,
    isVerified: isVerified === 1,
    state: webhookStates[state]!,
    ...(stateReason === null ? {} : { stateReason }),
    failures,
    rejections,
    ...(failingSince === null ? {} : { failingSince }),
    cursor,
    ...(batchLast === null ? {} : { batchLast }),
    ...(retryAt === null ? {} : { retryAt }),
    revision,
    secretHint,
    ...(previousUntil === null ? {} : { previousSecretUntil: previousUntil }),
    createdAt,
  };
}
