// What is removed when it is old: rows that no request can ask for any more, and the addresses of the audit log.

import { DAY_MS } from '../../domain/durations.ts';
import { nodeTable } from '../cluster/nodes.ts';
import { keyTable } from '../keys.ts';
import { banTable } from '../limits.ts';
import { auditTable } from '../logs/audit-log.ts';
import { requestTable } from '../logs/request-log.ts';
import { DELETED_MAX, Reader, statement, type Value } from '../runner.ts';
import type { Table } from '../table.ts';
import { getTable } from '../tables.ts';
import { usageDayTable, usageMinuteTable } from '../usage.ts';
import { attemptTable } from '../webhooks/attempts.ts';

/** Sessions that were revoked are in the order of this. */
type RevokedPlace = readonly [revokedAt: number, id: string];

/** A condition: some of the rows of a table that meet another, in the order that this one names. */
function some({ name, key }: Table, where: string): string {
  const columns = key.join(', ');
  return `(${columns}) IN (SELECT ${columns} FROM ${name} WHERE ${where} LIMIT ${DELETED_MAX})`;
}

const deletion = (table: Table, where: string) =>
  statement(`DELETE FROM ${table.name} WHERE ${some(table, where)}`);

const removals = {
  responses: deletion(getTable('idempotency'), 'created_at <= $1 ORDER BY created_at'),
  usageDays: deletion(usageDayTable, 'day < $1 ORDER BY day'),
  usageMinutes: deletion(usageMinuteTable, 'minute < $1 ORDER BY minute'),
  sessions: deletion(keyTable, 'parent_id IS NOT NULL AND expires_at < $1 ORDER BY expires_at'),
  // Those that were over by then, of keys that were not refused since.
  bans: deletion(banTable, 'until <= $1 AND quiet_since <= $1'),
  // Those of the workspace $1, up to $2.
  requests: statement(
    `DELETE FROM request_log
     WHERE workspace_id = $1 AND ${some(requestTable, 'workspace_id = $1 AND at <= $2 ORDER BY at, entry')}`,
  ),
  // Those that were not seen since.
  nodes: deletion(nodeTable, 'seen_at <= $1'),
  dailyEvents: deletion(getTable('daily_events'), 'day < $1 ORDER BY day'),
  attempts: deletion(attemptTable, 'at < $1 ORDER BY at'),
  auditLog: deletion(auditTable, 'at < $1 AND id > 0 ORDER BY at, id'),
  addresses: statement(
    `UPDATE audit_log SET address = NULL
     WHERE ${some(auditTable, 'at < $1 AND address IS NOT NULL ORDER BY at')}`,
  ),
};

// A session lasts less than a day, so its usage is on the day of its beginning or on that of its end. Each is counted by
// itself: joined, PostgreSQL reads all usage of those days for each session.
const admittedOn = (at: string) => `(SELECT count(*) FROM usage_days
  WHERE usage_days.workspace_id = ended.workspace_id AND day = ${at} / ${DAY_MS} AND key_id = ended.id AND admitted > 0)`;
// Of those that were revoked up to $3, the next after the place ($1, $2).
const listRevoked = statement<readonly [...RevokedPlace, admitted: number]>(
  `SELECT revoked_at, id, ${admittedOn('created_at')} + ${admittedOn('revoked_at')} FROM (
     SELECT id, workspace_id, created_at, revoked_at FROM api_keys
     WHERE parent_id IS NOT NULL AND (revoked_at, id) > ($1, $2) AND revoked_at <= $3
     ORDER BY revoked_at, id LIMIT ${DELETED_MAX}
   ) AS ended ORDER BY revoked_at, id`,
);
const deleteSession = statement('DELETE FROM api_keys WHERE id = $1');

export class OldRowWriter extends Reader {
  /**
   * Of the next DELETED_MAX sessions that were revoked up to an instant, deletes those without an admitted request. Returns
   * the place of the last that it looked at, if there may be more.
   */
  async removeUnusedSessions(
    after: RevokedPlace,
    revokedUntil: number,
  ): Promise<RevokedPlace | undefined> {
    const revoked = await this.runner.rows(listRevoked, [...after, revokedUntil]);
    const unused = revoked.filter(([, , admitted]) => admitted === 0);
    await this.runner.runEach(
      deleteSession,
      unused.map(([, id]) => [id]),
    );
    if (revoked.length < DELETED_MAX) return undefined;
    const [revokedAt, id] = revoked.at(-1)!;
    return [revokedAt, id];
  }

  /** Removes up to DELETED_MAX of what is older than an instant, a day or a minute. Returns of how many rows. */
  remove(what: keyof typeof removals, ...values: readonly Value[]): Promise<number> {
    return this.runner.run(removals[what], values);
  }
}
