import sql, { raw, type Sql } from 'sql-template-tag';
import { type WebhookHealth, webhookStates } from '../../domain/delivery.ts';
import {
  type SealedSecrets,
  type WebhookRecord,
  type WebhookSettings,
  type WebhookStatus,
  withStatus,
} from '../../domain/webhook.ts';
import { recordChange } from '../cluster/changes.ts';
import { databaseNow } from '../dialect.ts';
import { byId, list, type Page, type PageRequest } from '../list.ts';
import {
  insertion,
  insertRow,
  lockingStatement,
  Reader,
  type Row,
  runChange,
  statement,
  type Value,
} from '../runner.ts';
import { flag, optional, plain, Table } from '../table.ts';
import { countParked } from './attempts.ts';

/** What the owner and the deliveries change, as its row has it. */
interface Saved extends Omit<WebhookSettings, 'types'>, Omit<WebhookHealth, 'state'> {
  types: string;
  isVerified: boolean;
  /** Its place in `webhookStates`. */
  state: number;
  cursor: number;
  batchLast?: number;
}
type FlatWebhook = Omit<WebhookRecord, 'types' | 'state'> & Pick<Saved, 'types' | 'state'>;

const savedFields = {
  url: plain('url'),
  types: plain('types'),
  description: optional('description'),
  batchMax: plain('batch_max'),
  perSecondMax: plain('per_second_max'),
  isVerified: flag('is_verified'),
  state: plain('state'),
  stateReason: optional('state_reason'),
  failures: plain('failures'),
  rejections: plain('rejections'),
  failingSince: optional('failing_since'),
  cursor: plain('cursor'),
  batchLast: optional('batch_last'),
};
const saved = new Table<Saved>('webhooks', { key: [], fields: savedFields });

export const webhookTable = new Table<FlatWebhook>('webhooks', {
  key: ['workspace_id', 'id'],
  fields: {
    id: plain('id'),
    workspaceId: plain('workspace_id'),
    ...savedFields,
    retryAt: optional('retry_at'),
    revision: plain('revision'),
    secretHint: plain('secret_hint'),
    previousSecretUntil: optional('previous_until'),
    createdAt: plain('created_at'),
  },
  hidden: [
    'due_at',
    'paused_at',
    'cursor_revision',
    'leased_until',
    'lease_number',
    'secret',
    'previous_secret',
  ],
});

export type SecretsRow = readonly [
  current: string,
  previous: string | null,
  previousUntil: number | null,
];

const DISABLED = String(webhookStates.indexOf('disabled'));

/** Of the events without a number, no more are counted for how far webhooks are behind. */
export const ARRIVALS_COUNTED_MAX = 10_000;

const { columns } = webhookTable;
const find = `SELECT ${columns} FROM webhooks WHERE id = $1 AND workspace_id = $2`;
const findRecord = statement<Row>(find);
const findRecordAndLock = lockingStatement<Row>(find);
const findSecrets = statement<SecretsRow>(
  'SELECT secret, previous_secret, previous_until FROM webhooks WHERE id = $1 AND workspace_id = $2',
);
const count = statement<readonly [number]>('SELECT count(*) FROM webhooks WHERE workspace_id = $1');
const countEvents = statement<readonly [number]>(
  `SELECT COALESCE((SELECT last_sequence FROM event_heads WHERE workspace_id = $1), 0)
     + (SELECT count(*) FROM (
       SELECT 1 FROM event_arrivals WHERE workspace_id = $1 ORDER BY id LIMIT ${ARRIVALS_COUNTED_MAX}) AS arrived)`,
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
  `INSERT INTO webhooks (workspace_id, ${saved.columns}, due_at, revision, cursor_revision,
     lease_number, secret, secret_hint, created_at, paused_at)
   VALUES ($1, ${saved.columns.map((_, at) => `$${at + 2}`)}, CASE WHEN $18 = 1 THEN shared_now($17) END, 1, 1, 0, $15, $16, $17,
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
  `UPDATE webhooks SET ${saved.columns.map((name, at) => `${name} = $${at + 3}`)},
     due_at = CASE WHEN CAST($${saved.columns.indexOf('state') + 3} AS BIGINT) = ${DISABLED} THEN NULL ELSE due_at END
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
    const own = { table: 'webhooks', columns, itemOf: webhookOf, workspaceId };
    const where = sql`workspace_id = ${workspaceId}`;
    return list(this.runner, { ...own, where, order: byId }, page);
  }

  async count(workspaceId: number): Promise<number> {
    return (await this.runner.row(count, [workspaceId]))![0];
  }

  async statusOf(webhook: WebhookRecord, now: number): Promise<WebhookStatus> {
    return (await this.statusesOf(webhook.workspaceId, [webhook], now))[0]!;
  }

  /** Webhooks with what follows from the feed, also from events without a number, and from their deliveries. */
  async statusesOf(
    workspaceId: number,
    webhooks: readonly WebhookRecord[],
    now: number,
  ): Promise<WebhookStatus[]> {
    const [events] = (await this.runner.row(countEvents, [workspaceId]))!;
    const ids = webhooks.map(({ id }) => id);
    const parked = await countParked(this.runner, workspaceId, ids);
    return webhooks.map((webhook) => {
      const behind = Math.max(0, events - webhook.cursor);
      return withStatus(webhook, { behind, parked: parked.get(webhook.id) ?? 0, now });
    });
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
    const isDue = Number(webhook.state !== 'disabled');
    const values = [workspaceId, ...webhookValues(webhook), secret, secretHint, createdAt, isDue];
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
  const state = webhookStates.indexOf(webhook.state);
  return saved.valuesOf({ ...webhook, types: webhook.types.join(' '), state });
}

export function secretsOf([current, previous, previousUntil]: SecretsRow): SealedSecrets {
  return {
    current,
    ...(previous === null ? {} : { previous }),
    ...(previousUntil === null ? {} : { previousUntil }),
  };
}

export function webhookOf(row: Row): WebhookRecord {
  const webhook = webhookTable.recordOf(row);
  return { ...webhook, types: webhook.types.split(' '), state: webhookStates[webhook.state]! };
}
