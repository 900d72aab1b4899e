// Did a commit take place whose answer was lost or is late? Every commit inserts a marker, a row that no other commit inserts.
// To find out, insert the same row: it exists, so the commit took place; or the insert waits until the commit has
// ended; or the insert succeeds, and then the commit can never happen, even if it still travels through the network.
//
// Transaction ids would cost the server less. But after a crash or a failover a server may assign one again,
// and other databases that speak PostgreSQL's protocol need not have them. A row means the same on all of them.

import { DAY_MS } from '../../domain/durations.ts';
import type { SingleStatement, SingleStatementValues } from '../runner.ts';
import type { Command } from './command-batch.ts';

export interface CommitMarker {
  readonly connection: string;
  readonly unit: number;
}

// `is_committed` is 0 for a commit that can never happen. `result` is that of a single statement: the id of what it made.
export const CREATE_MARKERS = `CREATE TABLE IF NOT EXISTS commit_marks (
  connection TEXT COLLATE "C" NOT NULL,
  unit BIGINT NOT NULL,
  is_committed BIGINT NOT NULL,
  result BIGINT,
  at BIGINT NOT NULL,
  PRIMARY KEY (connection, unit)
)`;

const DELETE_OLD = 'DELETE FROM commit_marks WHERE at < $1';
const KEPT_MS = DAY_MS;

// With both bounds the index leads to the rows that are left. With one it would pass all that were deleted since a vacuum.
const deleteRange = (connection: string, from: string, unit: string) =>
  `DELETE FROM commit_marks WHERE connection = ${connection}
   AND unit >= CAST(${from} AS BIGINT) AND unit < CAST(${unit} AS BIGINT)`;
const INSERT = `WITH obsolete AS (${deleteRange('$1', '$4', '$2')})
  INSERT INTO commit_marks (connection, unit, is_committed, at) VALUES ($1, $2, 1, $3)`;
// In the order in which the commit inserts them, so that the two never deadlock.
const FIND = `INSERT INTO commit_marks (connection, unit, is_committed, at)
  SELECT $1, unit, 0, CAST($3 AS BIGINT) FROM unnest(CAST($2 AS BIGINT[])) AS unit ORDER BY unit
  ON CONFLICT (connection, unit) DO UPDATE SET at = $3 RETURNING unit, is_committed, result`;

/** Deletes the markers that connections which ended long ago have left behind. */
export function deleteOldMarkers(now: number): Command {
  return { text: DELETE_OLD, values: [now - KEPT_MS] };
}

/** Travels with COMMIT, and deletes the markers before it from `obsoleteFrom` on: the outcome of their commits is known. */
export function insertMarker(
  { connection, unit }: CommitMarker,
  obsoleteFrom: number,
  now: number,
): Command {
  return { text: INSERT, values: [connection, unit, now, obsoleteFrom] };
}

/** A single statement with its values. */
export interface SingleCall {
  statement: SingleStatement;
  values: SingleStatementValues;
}

/** Makes the text of a single statement once. `first` is the number of the first free parameter. */
export function oncePerStatement<C extends SingleCall>(make: (call: C, first: number) => string) {
  const texts = new WeakMap<SingleStatement, string>();
  return (call: C): string => {
    const known = texts.get(call.statement);
    if (known !== undefined) return known;
    const text = make(call, call.values.length + 1);
    texts.set(call.statement, text);
    return text;
  };
}

const textWithMarker = oncePerStatement(({ statement: { ctes, column } }: SingleCall, first) => {
  const [connection, unit, at, from] = [0, 1, 2, 3].map((n) => `$${first + n}`);
  return `WITH ${ctes('')}, obsolete AS (${deleteRange(connection!, from!, unit!)}), marker AS (
      INSERT INTO commit_marks (connection, unit, is_committed, result, at)
      SELECT ${connection}, CAST(${unit} AS BIGINT), 1, ${column}, CAST(${at} AS BIGINT) FROM result
    ) SELECT ${column} FROM result`;
});

/** The single statement together with its marker, which holds the statement's result. */
export function withMarker(
  single: SingleCall,
  { connection, unit }: CommitMarker,
  obsoleteFrom: number,
  now: number,
): Command {
  const values = [...single.values, connection, unit, now, obsoleteFrom];
  return { text: textWithMarker(single), values };
}

/** Returns the number of each unit of one commit, whether it is committed (if not, it never will be) and its result. */
export function findMarkers(markers: readonly CommitMarker[], now: number): Command {
  const units = markers.map(({ unit }) => unit);
  return { text: FIND, values: [markers[0]!.connection, `{${units.join(',')}}`, now] };
}
