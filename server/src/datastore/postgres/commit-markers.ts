// What became of a commit whose answer was lost? Every commit writes a row that no other commit writes.
// Whoever adds the same row afterwards finds it there; or waits until the commit in doubt has ended; or is
// first, and thereby keeps that commit from ever happening, even if it is still under way in the network.
//
// Transaction ids would cost the server less. Yet after a crash or a failover it may give one out again, and
// would then answer for another transaction; and engines that are not PostgreSQL but speak like it need
// not have them. A row means the same on all of them.

import type { Settlement, SettlementValues } from '../runner.ts';
import type { Command } from './command.ts';

export interface Mark {
  readonly connection: string;
  readonly unit: number;
}

export const CREATE_MARKS = `CREATE TABLE IF NOT EXISTS commit_marks (
  connection TEXT COLLATE "C" NOT NULL,
  unit BIGINT NOT NULL,
  is_kept BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (connection, unit)
)`;

/** Marks of connections that ended long ago, whose commits nobody asks about any more. */
export const FORGET_OLD_MARKS = 'DELETE FROM commit_marks WHERE at < $1';
export const MARKS_KEPT_MS = 24 * 3_600_000;

const WRITE = `WITH settled AS (
    DELETE FROM commit_marks WHERE connection = $1 AND unit = ANY (CAST($4 AS BIGINT[]))
  )
  INSERT INTO commit_marks (connection, unit, is_kept, at) VALUES ($1, $2, 1, $3)`;
const LOOK = `INSERT INTO commit_marks (connection, unit, is_kept, at) VALUES ($1, $2, 0, $3)
  ON CONFLICT (connection, unit) DO UPDATE SET at = $3 RETURNING is_kept`;

/** Goes along with COMMIT, and removes the marks of earlier commits, which are settled. */
export function markCommand(
  { connection, unit }: Mark,
  settled: readonly number[],
  now: number,
): Command {
  return { text: WRITE, values: [connection, unit, now, arrayOf(settled)] };
}

/** The statement of a settlement, which writes its mark itself: the number that is told is kept in it. */
export function settleCommand(
  settlement: Settlement,
  values: SettlementValues,
  { connection, unit }: Mark,
  settled: readonly number[],
  now: number,
): Command {
  let text = settlementTexts.get(settlement);
  if (text === undefined) {
    text = textOf(settlement, values.length);
    settlementTexts.set(settlement, text);
  }
  return { text, values: [...values, connection, unit, arrayOf(settled), now] };
}

function arrayOf(units: readonly number[]): string {
  return `{${units.join(',')}}`;
}

const settlementTexts = new WeakMap<Settlement, string>();

function textOf({ parts, told }: Settlement, valuesBefore: number): string {
  const [name, own, earlier, at] = [1, 2, 3, 4].map((n) => `$${valuesBefore + n}`);
  return `WITH ${parts}, settled AS (
      DELETE FROM commit_marks WHERE connection = ${name} AND unit = ANY (CAST(${earlier} AS BIGINT[]))
    ), marked AS (
      INSERT INTO commit_marks (connection, unit, is_kept, at)
      SELECT ${name}, CAST(${own} AS BIGINT), ${told}, CAST(${at} AS BIGINT) FROM told
    ) SELECT ${told} FROM told`;
}

/**
 * Gives what the mark of the commit holds, 1 or the number of a settlement; 0 when it did not take place, and
 * then it never will.
 */
export function lookAtMark({ connection, unit }: Mark, now: number): Command {
  return { text: LOOK, values: [connection, unit, now] };
}
