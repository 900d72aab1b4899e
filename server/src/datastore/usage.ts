import sql from 'sql-template-tag';
import { MINUTES_A_DAY } from '../domain/durations.ts';
import { examinedMaxOf, type List, listFirst, nextTurn } from './list.ts';
import { Reader, type Row, statement } from './runner.ts';
import { plain, Table } from './table.ts';

/** What one key did with one operation on one day; `day` counts days since the epoch. */
export interface UsageDay {
  day: number;
  keyId: string;
  operationId: string;
  admitted: number;
  refused: number;
  failed: number;
  lastAt: number;
}

/** What a workspace did in one minute; `minute` counts minutes since the epoch. */
export interface UsageMinute {
  minute: number;
  /** Admitted and refused ones. */
  requests: number;
  refused: number;
}

export const usageDayTable = new Table<UsageDay>('usage_days', {
  key: ['workspace_id', 'day', 'key_id', 'operation_id'],
  fields: {
    day: plain('day'),
    keyId: plain('key_id'),
    operationId: plain('operation_id'),
    admitted: plain('admitted'),
    refused: plain('refused'),
    failed: plain('failed'),
    lastAt: plain('last_at'),
  },
});
export const usageMinuteTable = new Table<UsageMinute>('usage_minutes', {
  key: ['workspace_id', 'minute'],
  fields: { minute: plain('minute'), requests: plain('requests'), refused: plain('refused') },
});

// Counts are added, never set, so that many nodes can write the same row.
const addDay = statement(
  `INSERT INTO usage_days (workspace_id, ${usageDayTable.columns})
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (workspace_id, day, key_id, operation_id) DO UPDATE
   SET admitted = usage_days.admitted + $5, refused = usage_days.refused + $6,
     failed = usage_days.failed + $7,
     last_at = CASE WHEN usage_days.last_at > $8 THEN usage_days.last_at ELSE $8 END`,
);
const addMinute = statement(
  `INSERT INTO usage_minutes (workspace_id, ${usageMinuteTable.columns}) VALUES ($1, $2, $3, $4)
   ON CONFLICT (workspace_id, minute) DO UPDATE
   SET requests = usage_minutes.requests + $3, refused = usage_minutes.refused + $4`,
);
const countAdmitted = statement<readonly [admitted: number]>(
  `SELECT CAST(COALESCE(SUM(requests - refused), 0) AS BIGINT) FROM usage_minutes
   WHERE workspace_id = $1 AND minute >= $2 AND minute < $3`,
);
// Each session has rows of its own, so a workspace may have very many of a day.
const byDay = [
  { name: 'day', type: 'number' },
  { name: 'key_id', type: 'string' },
  { name: 'operation_id', type: 'string' },
] as const;
const byMinute = [{ name: 'minute', type: 'number' }] as const;

function ofUsage<T extends object>(
  table: Table<T>,
  { workspaceId, from, order }: { workspaceId: number; from: number; order: List<Row, T>['order'] },
): List<Row, T> {
  return {
    table: table.name,
    columns: table.columns,
    itemOf: (row) => table.recordOf(row),
    workspaceId,
    where: sql`workspace_id = ${workspaceId}`,
    order,
    within: { from },
  };
}

export class UsageReader extends Reader {
  /** The history from a day on. If it has more than EXAMINED_MAX rows, the oldest of them are left out. */
  async days(workspaceId: number, fromDay: number): Promise<UsageDay[]> {
    const max = examinedMaxOf(this.runner);
    const given = ofUsage(usageDayTable, { workspaceId, from: fromDay, order: byDay });
    return (await listFirst(this.runner, given, { sort: '-day', max })).reverse();
  }

  /**
   * How many requests were admitted on a day, which has few minutes and may have very many keys. It is read in halves, since no
   * other request runs on SQLite meanwhile.
   */
  async admittedOn(workspaceId: number, day: number): Promise<number> {
    const noon = (day + 0.5) * MINUTES_A_DAY;
    const morning = await this.#admittedIn(workspaceId, day * MINUTES_A_DAY, noon);
    await nextTurn();
    return morning + (await this.#admittedIn(workspaceId, noon, (day + 1) * MINUTES_A_DAY));
  }

  /** The minutes from one on, at most those of a day. */
  minutes(workspaceId: number, fromMinute: number): Promise<UsageMinute[]> {
    const given = ofUsage(usageMinuteTable, { workspaceId, from: fromMinute, order: byMinute });
    return listFirst(this.runner, given, { sort: 'minute', max: MINUTES_A_DAY });
  }

  async #admittedIn(workspaceId: number, from: number, to: number): Promise<number> {
    return (await this.runner.rows(countAdmitted, [workspaceId, from, to], workspaceId))[0]![0];
  }
}

export class UsageWriter extends UsageReader {
  async addDay(workspaceId: number, usage: UsageDay): Promise<void> {
    await this.runner.runLater(addDay, [workspaceId, ...usageDayTable.valuesOf(usage)]);
  }

  async addMinute(workspaceId: number, usage: UsageMinute): Promise<void> {
    await this.runner.runLater(addMinute, [workspaceId, ...usageMinuteTable.valuesOf(usage)]);
  }
}
