// The log of changes that nodes must learn of at once, because they keep what has changed in memory. A row is written in the
// transaction of its change, by the method that makes it.
//
// PostgreSQL draws the id of a row before its transaction commits, so a row may appear after one with a higher id was read.
// The reader remembers the ids between those that it has seen, and asks for them, too.

import { dialectOf, perEngine } from '../dialect.ts';
import { DELETED_MAX, Reader, type Runner, statement } from '../runner.ts';

/** `overdue`: orders of the workspace may be overdue that the sweep of such orders passes over. */
type ChangeKind = 'key' | 'ban' | 'workspace' | 'webhook' | 'overdue';

export interface LoggedChange {
  workspaceId: number;
  kind: ChangeKind;
  /** The id of what has changed. */
  subject: string;
}

type ChangeRow = readonly [id: number, workspaceId: number, kind: ChangeKind, subject: string];

/** How many new rows one read returns. */
export const CHANGES_MAX = 1_000;
const KEPT_MS = 3_600_000;

const COLUMNS = 'id, workspace_id, kind, subject';

/**
 * The clock of the database, so that writers and readers need not agree on the time. It changes while a statement runs, so an
 * index finds rows by it only if it is read once, in a SELECT of its own.
 */
const byClock = <T>(make: (now: string) => T) =>
  perEngine(({ now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)" }) => make(now));
const insert = byClock((now) =>
  statement(`INSERT INTO changes (workspace_id, kind, subject, at) VALUES ($1, $2, $3, ${now})`),
);
// The row $1 tells that nothing was lost since, if there is none after it.
const listNew = perEngine(({ isIn }) =>
  statement<ChangeRow>(
    `SELECT * FROM (
       SELECT ${COLUMNS} FROM changes WHERE id >= $1 ORDER BY id DESC LIMIT ${CHANGES_MAX + 1}
     ) latest UNION ALL SELECT ${COLUMNS} FROM changes WHERE ${isIn('id', '$2')}`,
  ),
);
const deleteOld = byClock((now) =>
  statement(
    `DELETE FROM changes WHERE id IN (
       SELECT id FROM changes WHERE at < (SELECT ${now} - ${KEPT_MS}) ORDER BY at LIMIT ${DELETED_MAX})`,
  ),
);

/** Writes a row of the log. Call it in the method that changes what the row names. */
export function recordChange(runner: Runner, change: LoggedChange): Promise<void> {
  const { workspaceId, kind, subject } = change;
  return runner.runLater(insert(runner), [workspaceId, kind, subject]);
}

export class ChangeReader extends Reader {
  /** The newest rows from this id on, and those of the others that are there, newest first. The others are below it. */
  async list(
    from: number,
    others: readonly number[] = [],
  ): Promise<(LoggedChange & { id: number })[]> {
    const list = dialectOf(this.runner).list(others);
    const rows = await this.runner.rows(listNew(this.runner), [from, list]);
    return rows
      .map(([id, workspaceId, kind, subject]) => ({ id, workspaceId, kind, subject }))
      .sort((a, b) => b.id - a.id);
  }
}

export class ChangeWriter extends ChangeReader {
  /** Deletes up to DELETED_MAX rows that every node has read. Returns how many. */
  deleteOld(): Promise<number> {
    return this.runner.run(deleteOld(this.runner), []);
  }
}
