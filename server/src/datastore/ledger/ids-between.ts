import { CLOCK_SKEW_MAX_MS } from '../../lib/clock.ts';
import { type Runner, statement } from '../runner.ts';

/** A range of ids, both ends included. It is empty if `low` is above `high`. */
export interface IdRange {
  low: number;
  high: number;
}

interface Bounds {
  /** The first moment, included. */
  from?: number | undefined;
  /** The last moment, excluded. */
  to?: number | undefined;
}

/** How long after its `at` a row may get its id. */
const ID_WITHIN_MS = 5_000;
/**
 * Clocks of two nodes may differ by twice what /readyz accepts, and of two transactions that run at once the one that
 * began first may get its ids last. So times are out of order by at most this.
 */
export const DISORDER_MS = 2 * CLOCK_SKEW_MAX_MS + ID_WITHIN_MS;

const lastId = statement<readonly [number | null]>('SELECT MAX(id) FROM movements');
const firstFrom = statement<readonly [id: number, at: number]>(
  'SELECT id, at FROM movements WHERE id >= $1 ORDER BY id LIMIT 1',
);

/**
 * The ids between which all rows of a period are, and some before and after it. Ids and times rise together, so a binary
 * search over the primary key finds both ends; there is no index on time.
 */
export async function idsBetween(runner: Runner, { from, to }: Bounds): Promise<IdRange> {
  const [last] = (await runner.row(lastId, []))!;
  const whole = { low: 1, high: last ?? 0 };
  const low =
    from === undefined ? whole.low : await firstIdSince(runner, whole, from - DISORDER_MS);
  const high =
    to === undefined ? whole.high : (await firstIdSince(runner, whole, to + DISORDER_MS)) - 1;
  return { low, high };
}

async function firstIdSince(runner: Runner, { low, high }: IdRange, at: number): Promise<number> {
  let [first, end] = [low, high + 1];
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const row = await runner.row(firstFrom, [middle]);
    if (row && row[1] < at) first = row[0] + 1;
    else end = middle;
  }
  return first;
}
