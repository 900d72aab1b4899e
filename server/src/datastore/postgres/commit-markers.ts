// Did a commit take place whose answer was lost or is late? Every commit inserts a marker, a row that no other commit inserts.
// To find out, insert the same row: it exists, so the commit took place; or the insert waits until the commit has
// ended; or the insert succeeds, and then the commit can never happen, even if it still travels through the network.
//
// Transaction ids would cost the server less. But after a crash or a failover a server may assign one again,
// and other databases that speak PostgreSQL's protocol need not have them. A row means the same on all of them.

import { DAY_MS } from '../../domain/durations.ts';
import type { Command } from './command.ts';
import { oncePerStatement, type SingleCall } from './statement-texts.ts';

export interface CommitMarker {
  readonly connection: string;
  readonly unit: number;
}

// `is_kept` is 0 for a commit that can never happen; otherwise it is 1 or the result of the single statement.
export const CREATE_MARKERS = `CREATE TABLE IF NOT EXISTS commit_marks (
  connection TEXT COLLATE "C" NOT NULL,
  unit BIGINT NOT NULL,
  is_kept BIGINT NOT NULL,
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
  INSERT INTO commit_marks (connection, unit, is_kept, at) VALUES ($1, $2, 1, $3)`;
// In the order in which the commit inserts them, so that the two never deadlock.
const FIND = `INSERT INTO commit_marks (connection, unit, is_kept, at)
  SELECT $1, unit, 0, CAST($3 AS BIGINT) FROM unnest(CAST($2 AS BIGINT[])) AS unit ORDER BY unit
  ON CONFLICT (connection, unit) DO UPDATE SET at = $3 RETURNING unit, is_kept`;

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

const textWithMarker = oncePerStatement(({ statement: { ctes, column } }: SingleCall, first) => {
  const [connection, unit, at, from] = [0, 1, 2, 3].map((n) => `$${first + n}`);
  return `WITH ${ctes('')}, obsolete AS (${deleteRange(connection!, from!, unit!)}), marker AS (
      INSERT INTO commit_marks (connection, unit, is_kept, at)
      SELECT ${connection}, CAST(${unit} AS BIGINT), ${column}, CAST(${at} AS BIGINT) FROM result
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

/**
 * Returns the number of each unit of one commit and what its marker holds: 1, or the result of a single statement.
 * 0 means that the unit is not committed and never will be.
 */
export function findMarkers(markers: readonly CommitMarker[], now: number): Command {
  const units = markers.map(({ unit }) => unit);
  return { text: FIND, values: [markers[0]!.connection, `{${units.join(',')}}`, now] };
}
