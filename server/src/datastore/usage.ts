import { Reader, statement } from './runner.ts';

type DayRow = readonly [
  day: number,
  keyId: string,
  operationId: string,
  admitted: number,
  refused: number,
  failed: number,
  lastAt: number,
];

// Counts are added, never set, so that many nodes can write the same row.
const addDay = statement(
  `INSERT INTO usage_days
     (workspace_id, day, key_id, operation_id, admitted, refused, failed, last_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (workspace_id, day, key_id, operation_id) DO UPDATE
   SET admitted = usage_days.admitted + $5, refused = usage_days.refused + $6,
     failed = usage_days.failed + $7,
     last_at = CASE WHEN usage_days.last_at > $8 THEN usage_days.last_at ELSE $8 END`,
);
const addMinute = statement(
  `INSERT INTO usage_minutes (workspace_id, minute, requests, refused) VALUES ($1, $2, $3, $4)
   ON CONFLICT (workspace_id, minute) DO UPDATE
   SET requests = usage_minutes.requests + $3, refused = usage_minutes.refused + $4`,
);
/** How many rows of a history are read, the newest. Each session has rows of its own, so a workspace may have very many. */
export const HISTORY_ROWS_MAX = 10_000;
const listDays = statement<DayRow>(
  `SELECT day, key_id, operation_id, admitted, refused, failed, last_at FROM usage_days
   WHERE workspace_id = $1 AND day >= $2 ORDER BY day DESC, key_id DESC, operation_id DESC
   LIMIT ${HISTORY_ROWS_MAX}`,
);
const countAdmitted = statement<readonly [admitted: number]>(
  `SELECT CAST(COALESCE(SUM(admitted), 0) AS BIGINT) FROM usage_days WHERE workspace_id = $1 AND day = $2`,
);
const listMinutes = statement<readonly [minute: number, requests: number, refused: number]>(
  `SELECT minute, requests, refused FROM usage_minutes
   WHERE workspace_id = $1 AND minute >= $2 ORDER BY minute`,
);

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

export class UsageReader extends Reader {
  /** The history from a day on. If it has more than HISTORY_ROWS_MAX rows, the oldest of them are left out. */
  async days(workspaceId: number, fromDay: number): Promise<UsageDay[]> {
    const rows = await this.runner.rows(listDays, [workspaceId, fromDay], workspaceId);
    return rows.reverse().map(([day, keyId, operationId, admitted, refused, failed, lastAt]) => {
      return { day, keyId, operationId, admitted, refused, failed, lastAt };
    });
  }

  /** How many requests were admitted on a day. */
  async admittedOn(workspaceId: number, day: number): Promise<number> {
    return (await this.runner.row(countAdmitted, [workspaceId, day]))![0];
  }

  async minutes(workspaceId: number, fromMinute: number): Promise<UsageMinute[]> {
    const rows = await this.runner.rows(listMinutes, [workspaceId, fromMinute]);
    return rows.map(([minute, requests, refused]) => ({ minute, requests, refused }));
  }
}

export class UsageWriter extends UsageReader {
  async addDay(workspaceId: number, usage: UsageDay): Promise<void> {
    const { day, keyId, operationId, admitted, refused, failed, lastAt } = usage;
    const values = [workspaceId, day, keyId, operationId, admitted, refused, failed, lastAt];
    await this.runner.runLater(addDay, values);
  }

  async addMinute(workspaceId: number, usage: UsageMinute): Promise<void> {
    const { minute, requests, refused } = usage;
    await this.runner.runLater(addMinute, [workspaceId, minute, requests, refused]);
  }
}
