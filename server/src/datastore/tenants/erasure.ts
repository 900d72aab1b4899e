// Erasing a workspace. Its row stays, without anything but its id, its state and when it was erased.

import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { MINUTE_MS } from '../../domain/durations.ts';
import { recordChange } from '../cluster/changes.ts';
import { databaseNow } from '../dialect.ts';
import { query, queryAndLock, Reader, type Row, runChange, type Value } from '../runner.ts';
import type { Table } from '../table.ts';
import { workspaceTables } from '../tables.ts';

/** How many rows one transaction deletes. On SQLite all other changes wait for it. */
export const ERASED_MAX = 100;
/** How many stored responses one transaction reads. */
const RESPONSES_MAX = 500;
/** How many workspaces one look finds. */
const DUE_MAX = 100;
/** What nodes have in memory, such as usage, is written within this time. It is deleted too. */
const LATE_MS = 10 * MINUTE_MS;

/** Every table with rows of a workspace. Rows that others refer to come after those others. */
export const erasedTables: readonly Table[] = workspaceTables.toReversed();

/** Which rows of a table are deleted. That a workspace was erased stays in the audit log, in a row without its name. */
function deletedIn({ name }: Table): Sql {
  return raw(name === 'audit_log' ? "action <> 'workspace.erased'" : 'TRUE');
}

/** Tables that erasing leaves alone: of the service, the row of the workspace itself, and changes, which are kept for an hour. */
export const tablesNotErased: readonly string[] = ['workspaces', 'leases', 'changes', 'nodes'];

export class ErasureReader extends Reader {
  /**
   * Workspaces that are to be erased now, by the clock of the database. `isLast` is set where all that is written late must be
   * there: what this run leaves behind is never looked for again.
   */
  async due(nodeNow: number): Promise<{ workspaceId: number; isLast: boolean }[]> {
    const now = databaseNow(nodeNow);
    const rows = await query<readonly [id: number, isLast: number]>(
      this.runner,
      sql`SELECT id, CASE WHEN erased_at + ${raw(String(LATE_MS))} <= ${now} THEN 1 ELSE 0 END
          FROM workspaces WHERE erase_at IS NOT NULL AND erase_at <= (SELECT ${now})
          ORDER BY erase_at LIMIT ${DUE_MAX}`,
    );
    return rows.map(([workspaceId, isLast]) => ({ workspaceId, isLast: isLast === 1 }));
  }

  /** How many rows the workspace has in one of its tables that erasing deletes. */
  async count(workspaceId: number, table: Table): Promise<number> {
    const rows = await query<readonly [number]>(
      this.runner,
      sql`SELECT count(*) FROM ${raw(table.name)} WHERE workspace_id = ${workspaceId} AND ${deletedIn(table)}`,
    );
    return rows[0]![0];
  }
}

export class ErasureWriter extends ErasureReader {
  /** From now on its keys are refused. False if it was reopened meanwhile, or is erased already. */
  async begin(workspaceId: number, nodeNow: number): Promise<boolean> {
    const now = databaseNow(nodeNow);
    const begun = await runChange(
      this.runner,
      sql`UPDATE workspaces SET erased_at = ${now}, created_at = ${now}, name = '', plan = 'free', per_minute = NULL,
            per_day = NULL, grant_per_day = NULL, grant_ends_at = NULL, low_stock_at = NULL, active_since = NULL,
            suspended_at = NULL, suspend_reason = NULL, closed_at = NULL, closed_by = NULL, close_reason = NULL
          WHERE id = ${workspaceId} AND erase_at <= ${now} AND erased_at IS NULL`,
    );
    const subject = String(workspaceId);
    if (begun === 1) await recordChange(this.runner, { workspaceId, kind: 'workspace', subject });
    return begun === 1;
  }

  /**
   * Deletes up to ERASED_MAX rows of an erased workspace from one of its tables, those after a place. Returns how many: fewer
   * only if none is left. The lock makes it so. Of two nodes that delete the same rows, one waits for the other and then finds
   * none of them. `end` is the place of the last: PostgreSQL would read the entries of all deleted rows before it again.
   */
  async deleteRows(
    workspaceId: number,
    table: Table,
    after?: Row,
  ): Promise<{ deleted: number; end?: Row | undefined }> {
    if (!(await this.#lockErased(workspaceId))) return { deleted: 0 };
    const [name, key] = [raw(table.name), raw(table.key.join(', '))];
    const [first, ...rest] = table.key;
    const isPlaced = first === 'workspace_id' && rest.length > 0;
    const place = raw(rest.join(', '));
    const behind = after ? sql`AND (${place}) > (${join(after as Value[])})` : empty;
    const rows = sql`FROM ${name} WHERE workspace_id = ${workspaceId} AND ${deletedIn(table)} ${behind}
      ${isPlaced ? sql`ORDER BY ${place}` : empty}`;
    const last = sql`SELECT ${place} ${rows} LIMIT 1 OFFSET ${raw(String(ERASED_MAX - 1))}`;
    const [end] = isPlaced ? await query<Row>(this.runner, last) : [];
    const deleted = await runChange(
      this.runner,
      sql`DELETE FROM ${name} WHERE workspace_id = ${workspaceId} AND (${key}) IN (
            SELECT ${key} ${rows} LIMIT ${raw(String(ERASED_MAX))})`,
    );
    return { deleted, end };
  }

  /**
   * Deletes what is stored under Idempotency-Keys of another owner and shows the erased workspace: the answer to a sign-up
   * or to an operator. Looks at up to RESPONSES_MAX keys after one of them. Returns how many it deleted, and the last key that it
   * looked at, if there are more.
   */
  async deleteResponses(
    workspaceId: number,
    owner: number,
    after: string,
  ): Promise<{ deleted: number; end?: string | undefined }> {
    if (!(await this.#lockErased(workspaceId))) return { deleted: 0 };
    const following = sql`FROM idempotency WHERE workspace_id = ${owner} AND key > ${after}`;
    const last = await query<readonly [string]>(
      this.runner,
      sql`SELECT key ${following} ORDER BY key LIMIT 1 OFFSET ${raw(String(RESPONSES_MAX - 1))}`,
    );
    const end = last[0]?.[0];
    const within = end === undefined ? sql`TRUE` : sql`key <= ${end}`;
    // A new workspace comes with its key. Of all records with an id and a name, only a workspace has limits.
    const deleted = await runChange(
      this.runner,
      sql`DELETE ${following} AND ${within} AND (
            body LIKE ${`{"workspace":{"id":${workspaceId},%`}
            OR (body LIKE ${`{"id":${workspaceId},"name":%`} AND body LIKE ${'%,"limits":{%'}))`,
    );
    return { deleted, end };
  }

  /** Whether it is erased. If so, no other transaction erases it at the same time. */
  async #lockErased(workspaceId: number): Promise<boolean> {
    const erased = await queryAndLock(
      this.runner,
      sql`SELECT id FROM workspaces WHERE id = ${workspaceId} AND erased_at IS NOT NULL`,
    );
    return erased.length > 0;
  }

  /** Call it when no row was left. Unless it was the last run, another deletes a minute later what is written late. */
  async end(
    workspaceId: number,
    { isLast, nodeNow }: { isLast: boolean; nodeNow: number },
  ): Promise<void> {
    const next = isLast ? raw('NULL') : sql`${databaseNow(nodeNow)} + ${raw(String(MINUTE_MS))}`;
    await runChange(
      this.runner,
      sql`UPDATE workspaces SET erase_at = ${next} WHERE id = ${workspaceId} AND erased_at IS NOT NULL`,
    );
  }
}
