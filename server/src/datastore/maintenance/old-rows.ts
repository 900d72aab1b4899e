// What is removed when it is old: rows that no request can ask for any more, and the addresses of the audit log.

import { DAY_MS } from '../../domain/durations.ts';
import { DELETED_MAX, Reader, statement, type Value } from '../runner.ts';

/** A condition: some of the rows of a table that meet another, in the order that this one names. */
const some = (table: string, key: string, where: string) =>
  `(${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${DELETED_MAX})`;

const deletion = (table: string, key: string, where: string) =>
  statement(`DELETE FROM ${table} WHERE ${some(table, key, where)}`);

const removals = {
  responses: deletion('idempotency', 'workspace_id, key', 'created_at <= $1 ORDER BY created_at'),
  usageDays: deletion(
    'usage_days',
    'workspace_id, day, key_id, operation_id',
    'day < $1 ORDER BY day',
  ),
  usageMinutes: deletion('usage_minutes', 'workspace_id, minute', 'minute < $1 ORDER BY minute'),
  sessions: deletion(
    'api_keys',
    'id',
    'parent_id IS NOT NULL AND expires_at < $1 ORDER BY expires_at',
  ),
  // Those that were revoked from $1 to $2 and had no admitted request. A session lasts less than a day, so its usage is on the
  // day of its beginning or on that of its end.
  unusedSessions: deletion(
    'api_keys',
    'id',
    `parent_id IS NOT NULL AND revoked_at >= $1 AND revoked_at <= $2 AND NOT EXISTS (
       SELECT 1 FROM usage_days WHERE usage_days.workspace_id = api_keys.workspace_id
         AND day IN (created_at / ${DAY_MS}, revoked_at / ${DAY_MS})
         AND key_id = api_keys.id AND admitted > 0
     )`,
  ),
  // Those that were over by then, of keys that were not refused since.
  bans: deletion('bans', 'key_id', 'until <= $1 AND quiet_since <= $1'),
  // Those of the workspace $1, up to $2.
  requests: deletion(
    'request_log',
    'workspace_id, at, entry',
    'workspace_id = $1 AND at <= $2 ORDER BY at, entry',
  ),
  // Those that were not seen since.
  nodes: deletion('nodes', 'id', 'seen_at <= $1'),
  dailyEvents: deletion('daily_events', 'workspace_id, day, name', 'day < $1'),
  attempts: deletion('webhook_attempts', 'workspace_id, id', 'at < $1 ORDER BY at'),
  auditLog: deletion('audit_log', 'workspace_id, id', 'at < $1 ORDER BY at, id'),
  addresses: statement(
    `UPDATE audit_log SET address = NULL
     WHERE ${some('audit_log', 'workspace_id, id', 'at < $1 AND address IS NOT NULL ORDER BY at')}`,
  ),
};

export class OldRowWriter extends Reader {
  /** Removes up to DELETED_MAX of what is older than an instant, a day or a minute. Returns of how many rows. */
  remove(what: keyof typeof removals, ...values: readonly Value[]): Promise<number> {
    return this.runner.run(removals[what], values);
  }
}
