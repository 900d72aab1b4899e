import sql, { raw } from 'sql-template-tag';
import { webhookStates } from '../../domain/delivery.ts';
import { databaseNow } from '../dialect.ts';
import { query, type Runner } from '../runner.ts';

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
const DISABLED = raw(String(webhookStates.indexOf('disabled')));

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
