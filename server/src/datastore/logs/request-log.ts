import sql from 'sql-template-tag';
import type { LoggedRequest, RequestFilter } from '../../domain/logs/request.ts';
import { list, nextTurn, type Page, type PageRequest } from '../list.ts';
import { Reader, type Row, type Statement, statement } from '../runner.ts';
import { flag, optional, ownersOf, plain, Table } from '../table.ts';

export const requestTable = new Table<LoggedRequest>('request_log', {
  key: ['workspace_id', 'at', 'entry'],
  fields: {
    workspaceId: plain('workspace_id'),
    entry: plain('entry'),
    id: plain('id'),
    at: plain('at'),
    method: plain('method'),
    route: optional('route'),
    path: plain('path'),
    operationId: optional('operation_id'),
    status: plain('status'),
    code: optional('code'),
    keyId: optional('key_id'),
    durationUs: plain('duration_us'),
    requestBytes: plain('request_bytes'),
    responseBytes: plain('response_bytes'),
    isReplay: flag('is_replay'),
    via: plain('via'),
    traceId: optional('trace_id'),
    address: plain('address'),
  },
});

const COLUMNS = requestTable.columns.join(', ');
const byTime = [
  { name: 'at', type: 'number' },
  { name: 'entry', type: 'string' },
] as const;
/** How many rows one statement inserts. */
const SIZES = [64, 8, 1];
const insertions = SIZES.map((size) => ({ size, statement: insertionOf(size) }));

const find = statement<Row>(
  `SELECT ${COLUMNS} FROM request_log WHERE id = $1 AND workspace_id = $2
   ORDER BY at DESC, entry DESC LIMIT 1`,
);
const findAnywhere = statement<Row>(
  `SELECT ${COLUMNS} FROM request_log WHERE id = $1
   ORDER BY workspace_id DESC, at DESC, entry DESC LIMIT 1`,
);
const listOwners = statement<readonly [workspaceId: number, oldest: number, newest: number]>(
  `${ownersOf('request_log')}
   SELECT id, (SELECT min(at) FROM request_log WHERE workspace_id = owners.id),
     (SELECT max(at) FROM request_log WHERE workspace_id = owners.id)
   FROM owners ORDER BY id`,
);
// Rows are counted in steps, so that on SQLite other requests run in between.
const STEP_ROWS_MAX = 1_000;
const findBehind = statement<readonly [at: number, entry: string]>(
  `SELECT at, entry FROM request_log WHERE workspace_id = $1 AND (at, entry) < ($2, $3)
   ORDER BY at DESC, entry DESC LIMIT 1 OFFSET $4`,
);
const countAfter = statement<readonly [number]>(
  `SELECT count(*) FROM (
     SELECT at FROM request_log WHERE workspace_id = $1 AND at > $2 ORDER BY at, entry LIMIT $3) AS later`,
);

/** A workspace with rows in the log, and when its oldest and its newest one arrived. */
interface LogOwner {
  workspaceId: number;
  oldest: number;
  newest: number;
}

export class RequestLogReader extends Reader {
  list(
    workspaceId: number,
    { status, code, operationId, keyId, from, to }: RequestFilter,
    page: PageRequest<'at'>,
  ): Promise<Page<LoggedRequest>> {
    const filters = [
      ...(status ? [sql`status BETWEEN ${status.lowest} AND ${status.highest}`] : []),
      ...(code === undefined ? [] : [sql`code = ${code}`]),
      ...(operationId === undefined ? [] : [sql`operation_id = ${operationId}`]),
      ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ];
    return list(
      this.runner,
      {
        table: 'request_log',
        columns: requestTable.columns,
        itemOf: (row: Row) => requestTable.recordOf(row),
        workspaceId,
        where: sql`workspace_id = ${workspaceId}`,
        order: byTime,
        within: { from, to },
        filters,
      },
      page,
    );
  }

  /** The newest request of this id, of one workspace or of any. */
  async find(id: string, workspaceId?: number): Promise<LoggedRequest | undefined> {
    const row = await (workspaceId === undefined
      ? this.runner.row(findAnywhere, [id])
      : this.runner.row(find, [id, workspaceId]));
    return row && requestTable.recordOf(row);
  }

  /** The workspaces with rows, after this one. */
  async owners(after: number, limit: number): Promise<LogOwner[]> {
    const rows = await this.runner.rows(listOwners, [after, limit]);
    return rows.map(([workspaceId, oldest, newest]) => ({ workspaceId, oldest, newest }));
  }

  /**
   * When the request arrived that this many newer ones follow. If there are not so many, how many there are at most: it reads
   * all of them to know.
   */
  async placeOf(workspaceId: number, newer: number): Promise<{ at: number } | { rowsMax: number }> {
    let place: readonly [at: number, entry: string] = [Number.MAX_SAFE_INTEGER, ''];
    for (let left = newer + 1; left > 0; left -= STEP_ROWS_MAX) {
      const skipped = Math.min(left, STEP_ROWS_MAX) - 1;
      const row = await this.runner.row(findBehind, [workspaceId, ...place, skipped]);
      if (!row) return { rowsMax: newer + 1 - left + skipped };
      place = row;
      await nextTurn();
    }
    return { at: place[0] };
  }

  /** How many requests arrived after an instant; `max` if there are more. */
  async countAfter(workspaceId: number, at: number, max: number): Promise<number> {
    return (await this.runner.row(countAfter, [workspaceId, at, max]))![0];
  }
}

export class RequestLogWriter extends RequestLogReader {
  /** A row that is there already, because the outcome of a write was unknown, stays as it is. */
  async add(requests: readonly LoggedRequest[]): Promise<void> {
    let at = 0;
    for (const { size, statement } of insertions) {
      for (; requests.length - at >= size; at += size) {
        await this.runner.run(
          statement,
          requests.slice(at, at + size).flatMap((each) => requestTable.valuesOf(each)),
        );
      }
    }
  }
}

function insertionOf(size: number): Statement {
  const { length } = requestTable.columns;
  const rows = Array.from({ length: size }, (_, row) => {
    const parameters = Array.from({ length }, (_, at) => `$${row * length + at + 1}`);
    return `(${parameters.join(', ')})`;
  });
  return statement(
    `INSERT INTO request_log (${COLUMNS}) VALUES ${rows.join(', ')}
     ON CONFLICT (workspace_id, at, entry) DO NOTHING`,
  );
}
