// The feed of a workspace: events numbered 1, 2, 3 … without a hole.
//
// SQLite has one writer, so an event gets its number in the transaction of its change. PostgreSQL has many, and a
// counter that every one of them locks would make the changes of a workspace wait for each other's flush. There a change
// only leaves an arrival, and each reader of the feed numbers what has arrived, oldest first, under a lock on the head:
// - Only committed rows are numbered, in one transaction: there is no hole, and a crash leaves an event arrived or numbered.
// - What commits later gets a later number, so nothing appears before a cursor that a client has.
// - If A was acknowledged before B was sent, A's id is the smaller one, and a snapshot that sees B sees A. A batch takes the
//   smallest ids, so B never gets its number before A.
// - An arrival's id is drawn while the row that changes is locked, so the events of one pet keep the order of its ledger.
//
// An event is stored as the text that clients get. Readers join texts with commas; they parse and build nothing.

import type { EventRecord, NewEvent } from '../domain/event.ts';
import { eventText } from '../operations/views/event.ts';
import { dialectOf, perEngine } from './dialect.ts';
import { DELETED_MAX, Reader, type Statement, statement, type Value } from './runner.ts';
import { numberedText, numberedTextSql } from './stored-event.ts';
import { ownersOf } from './table.ts';
import { wakeWebhooks } from './webhooks/due.ts';

type HeadRow = readonly [first: number | null, last: number | null, hasArrivals: number];
type ListedHeadRow = readonly [workspaceId: number, ...HeadRow];
type FeedHeadRow = readonly [first: number | null, last: string | null, hasArrivals: '0' | '1'];
type EventRow = readonly [sequence: number, traceparent: string | null, text: string];

/** How many events `number` numbers at most. */
export const NUMBERED_MAX = 1_000;
const LOCK_MS = 100;
const ARRIVAL_COLUMNS = 5;

const hasArrivals = (workspaceId: string) =>
  `EXISTS (SELECT 1 FROM event_arrivals a WHERE a.workspace_id = ${workspaceId})`;
const head = (workspaceId: string) =>
  `h.first_sequence, h.last_sequence, CASE WHEN ${hasArrivals(workspaceId)} THEN 1 ELSE 0 END`;
const FEED = `(SELECT CAST($1 AS BIGINT) AS id) w LEFT JOIN event_heads h ON h.workspace_id = w.id`;
const findHead = statement<HeadRow>(`SELECT ${head('$1')} FROM ${FEED}`);
// The head is a row of its own: as columns of each event it would double the cost of a page.
const readWithHead = statement<FeedHeadRow | EventRow>(
  `SELECT h.first_sequence, CAST(h.last_sequence AS TEXT), CASE WHEN ${hasArrivals('$1')} THEN '1' ELSE '0' END
   FROM ${FEED}
   UNION ALL SELECT sequence, traceparent, text FROM (
     SELECT sequence, traceparent, text FROM events
     WHERE workspace_id = $1 AND sequence >= $2 ORDER BY sequence LIMIT $3
   ) page`,
);
// One text, and so one prepared statement, however many workspaces are asked for.
const LIST_HEADS = `SELECT w.id, ${head('w.id')} FROM workspaces w
  LEFT JOIN event_heads h ON h.workspace_id = w.id WHERE`;
const listHeads = perEngine(({ isIn }) =>
  statement<ListedHeadRow>(`${LIST_HEADS} ${isIn('w.id', '$1')}`),
);
const listOldest = statement<readonly [workspaceId: number, at: number | null]>(
  `SELECT h.workspace_id, e.at FROM (
     SELECT workspace_id, first_sequence FROM event_heads WHERE workspace_id > $1 ORDER BY workspace_id LIMIT $2
   ) h JOIN workspaces w ON w.id = h.workspace_id
   LEFT JOIN events e ON e.workspace_id = h.workspace_id AND e.sequence = h.first_sequence AND w.state = 'active'
   ORDER BY h.workspace_id`,
);
const listArrived = statement<readonly [workspaceId: number]>(
  `${ownersOf('event_arrivals')} SELECT id FROM owners ORDER BY id`,
);
const createHead = statement(
  `INSERT INTO event_heads (workspace_id, first_sequence, last_sequence) VALUES ($1, 1, 0)
   ON CONFLICT (workspace_id) DO NOTHING`,
);
const takeNumbers = statement<readonly [last: number]>(
  'UPDATE event_heads SET last_sequence = last_sequence + $2 WHERE workspace_id = $1 RETURNING last_sequence',
);
const insertEvent = statement(
  `INSERT INTO events (workspace_id, sequence, at, traceparent, text) VALUES ($1, $2, $3, $4, $5)`,
);
const waitBriefly = statement(`SET LOCAL lock_timeout = ${LOCK_MS}`);
// Spelled out, because a deferred statement is sent as it stands.
const lockHead = statement(
  'SELECT last_sequence FROM event_heads WHERE workspace_id = $1 FOR NO KEY UPDATE',
);
// Runs after the lock is taken, so its snapshot shows what the previous holder has numbered. Two changes at once may draw
// their ids in turns. The events of one ledger row, its change and `inventory.low`, still follow each other.
const numberArrivals = statement(
  `WITH head AS (SELECT last_sequence FROM event_heads WHERE workspace_id = $1),
   upto AS MATERIALIZED (
     SELECT max(id) AS id FROM (
       SELECT id FROM event_arrivals WHERE workspace_id = $1 ORDER BY id LIMIT ${NUMBERED_MAX}
     ) oldest
   ), taken AS (
     DELETE FROM event_arrivals a USING upto, head
     WHERE a.workspace_id = $1 AND a.id <= upto.id
     RETURNING a.id, a.movement_id, a.at, a.traceparent, a.text
   ), placed AS (
     SELECT *, CASE WHEN movement_id IS NULL THEN id
       ELSE min(id) OVER (PARTITION BY movement_id) END AS place FROM taken
   ), numbered AS (
     SELECT *, head.last_sequence + row_number() OVER (ORDER BY place, id) AS sequence FROM placed, head
   ), stored AS (
     INSERT INTO events (workspace_id, sequence, at, traceparent, text)
     SELECT CAST($1 AS BIGINT), sequence, at, traceparent,
       ${numberedTextSql('text', 'CAST($1 AS BIGINT)', 'sequence')} FROM numbered RETURNING 1
   )
   UPDATE event_heads SET last_sequence = last_sequence + (SELECT count(*) FROM stored)
   WHERE workspace_id = $1`,
);
const claimDaily = statement(
  `INSERT INTO daily_events (workspace_id, day, name) VALUES ($1, $2, $3)
   ON CONFLICT (workspace_id, day, name) DO NOTHING`,
);
// From the first event that is kept: PostgreSQL has the entries of deleted rows in its index until a vacuum.
const listAges = statement<readonly [sequence: number, at: number]>(
  `SELECT sequence, at FROM events WHERE workspace_id = $1
   AND sequence >= (SELECT first_sequence FROM event_heads WHERE workspace_id = $1) ORDER BY sequence LIMIT $2`,
);
const deleteRange = statement(
  'DELETE FROM events WHERE workspace_id = $1 AND sequence BETWEEN $2 AND $3',
);
// It never moves back: another node may have deleted more meanwhile.
const moveFirst = statement(
  'UPDATE event_heads SET first_sequence = $2 WHERE workspace_id = $1 AND first_sequence < $2',
);

interface EventHead {
  /** The number of the oldest event that is kept; one above `lastSequence` when none is. */
  firstSequence: number;
  lastSequence: number;
  /** Whether there are events that `numberArrivals` has still to number. */
  hasArrivals: boolean;
}

/** Which events to read: those after the number `after`, oldest first. */
export interface EventRange {
  after: number;
  limit: number;
}

export class EventReader extends Reader {
  async head(workspaceId: number): Promise<EventHead> {
    return headOf((await this.runner.row(findHead, [workspaceId]))!);
  }

  /** Returns numbered events only. `readFeed` numbers the others first. */
  async page(workspaceId: number, range: EventRange): Promise<EventRecord[]> {
    return (await this.readWithHead(workspaceId, range)).records;
  }

  /** The head and a page of the feed, as they stand at one moment. */
  async readWithHead(workspaceId: number, { after, limit }: EventRange) {
    const rows = await this.runner.rows(readWithHead, [workspaceId, after + 1, limit], workspaceId);
    const records: EventRecord[] = [];
    let head = headOf([null, null, 0]);
    for (const row of rows) {
      if (isEvent(row)) records.push(recordOf(row));
      else head = headOf([row[0], row[1] === null ? null : Number(row[1]), Number(row[2])]);
    }
    // A UNION promises no order.
    records.sort((a, b) => a.sequence - b.sequence);
    return { ...head, records };
  }

  /** The heads of several feeds. */
  async heads(workspaceIds: readonly number[]): Promise<(EventHead & { workspaceId: number })[]> {
    if (workspaceIds.length === 0) return [];
    const list = dialectOf(this.runner).list(workspaceIds);
    const rows = await this.runner.rows(listHeads(this.runner), [list]);
    return rows.map(([workspaceId, ...head]) => ({ workspaceId, ...headOf(head) }));
  }

  /** Workspaces that have a feed, by id, each with the instant of its oldest event, if that may be deleted at all. */
  async oldest(after: number, limit: number): Promise<{ workspaceId: number; at?: number }[]> {
    const rows = await this.runner.rows(listOldest, [after, limit]);
    return rows.map(([workspaceId, at]) => ({ workspaceId, ...(at === null ? {} : { at }) }));
  }

  /** The workspaces whose events are not all numbered, after this one. */
  async workspacesWithArrivals(after: number, limit: number): Promise<number[]> {
    return (await this.runner.rows(listArrived, [after, limit])).map(([id]) => id);
  }
}

export class EventWriter extends EventReader {
  /** Adds events to the feed, in this order. They are seen once the transaction is committed. */
  async append(workspaceId: number, events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return;
    if (dialectOf(this.runner).numbersEventsWhenRead) {
      const values = events.flatMap((event) => [
        workspaceId,
        event.movementId ?? null,
        ...eventValues(event, eventText(event)),
      ]);
      return this.runner.runLater(insertArrivals(events.length), values);
    }
    const first = (await this.#takeNumbers(workspaceId, events.length)) - events.length + 1;
    const rows = events.map((event, at) => {
      const sequence = first + at;
      const text = numberedText(eventText(event), { workspaceId, sequence });
      return [workspaceId, sequence, ...eventValues(event, text)];
    });
    await this.runner.runEach(insertEvent, rows);
    await wakeWebhooks(this.runner, workspaceId, events.at(-1)!.at);
  }

  /**
   * Numbers the oldest of what has arrived. It gives up when others hold the head for long, and nothing is lost:
   * those others number the same events.
   */
  async numberArrivals(workspaceId: number): Promise<void> {
    if (!dialectOf(this.runner).numbersEventsWhenRead) return;
    await this.runner.runLater(waitBriefly, []);
    await this.runner.runLater(createHead, [workspaceId]);
    await this.runner.runLater(lockHead, [workspaceId]);
    await this.runner.runLater(numberArrivals, [workspaceId]);
    // By the clock of the database.
    await wakeWebhooks(this.runner, workspaceId, 0);
  }

  /** True for the first call with this name on this day; `day` counts days since the epoch. */
  async claimFirstOfDay(workspaceId: number, day: number, name: string): Promise<boolean> {
    return (await this.runner.run(claimDaily, [workspaceId, day, name])) === 1;
  }

  /** Deletes up to DELETED_MAX of the oldest events if they were made before this instant. Returns how many. */
  async deleteOld(workspaceId: number, before: number): Promise<number> {
    const oldest = await this.runner.rows(listAges, [workspaceId, DELETED_MAX]);
    const kept = oldest.findIndex(([, at]) => at >= before);
    const old = kept === -1 ? oldest : oldest.slice(0, kept);
    const [first, last] = [old[0], old.at(-1)];
    if (!first || !last) return 0;
    await this.runner.run(deleteRange, [workspaceId, first[0], last[0]]);
    await this.runner.run(moveFirst, [workspaceId, last[0] + 1]);
    return old.length;
  }

  /** Returns the last of the numbers. */
  async #takeNumbers(workspaceId: number, count: number): Promise<number> {
    const taken = await this.runner.row(takeNumbers, [workspaceId, count]);
    if (taken) return taken[0];
    await this.runner.run(createHead, [workspaceId]);
    return this.#takeNumbers(workspaceId, count);
  }
}

/** Their ids are drawn in the order of the rows. */
function insertArrivals(count: number): Statement {
  const rows = Array.from({ length: count }, (_, row) => {
    const first = row * ARRIVAL_COLUMNS + 1;
    const numbers = Array.from({ length: ARRIVAL_COLUMNS }, (_, at) => `$${first + at}`);
    return `(${numbers.join(', ')})`;
  });
  return statement(
    `INSERT INTO event_arrivals (workspace_id, movement_id, at, traceparent, text)
     VALUES ${rows.join(', ')}`,
  );
}

/**
 * The part of a larger statement that inserts an arrival. `text` is SQL, `at` and `trace` are parameters of that statement.
 * `from` has the ledger row `result`.
 */
export function arrivalOf({
  text,
  at,
  trace,
  from,
}: Record<'text' | 'at' | 'trace' | 'from', string>): string {
  return `INSERT INTO event_arrivals (workspace_id, movement_id, at, traceparent, text)
    SELECT CAST($2 AS BIGINT), result.id, CAST(${at} AS BIGINT), CAST(${trace} AS TEXT), ${text}
    ${from} RETURNING id`;
}

/** The values of an event in the order in which the statements name their columns. */
function eventValues({ at, traceparent }: NewEvent, text: string): Value[] {
  return [at, traceparent ?? null, text];
}

/** The text of an event is an object; a head has one character there. */
function isEvent(row: FeedHeadRow | EventRow): row is EventRow {
  return row[2].length > 1;
}

function recordOf([sequence, traceparent, text]: EventRow): EventRecord {
  return { sequence, traceparent, text };
}

function headOf([first, last, hasArrivals]: HeadRow): EventHead {
  return {
    firstSequence: first ?? 1,
    lastSequence: last ?? 0,
    hasArrivals: hasArrivals === 1,
  };
}
