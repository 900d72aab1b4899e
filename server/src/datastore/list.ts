// Every list of the service is read here, so that no request examines more than EXAMINED_MAX rows, whatever its filters.
//
// A list follows one index, its path, from where the page begins. No planner can leave it: the inner query has the order and
// the limit, and its only other condition is where the path begins, on the columns of the index in their order. An engine
// would examine all rows behind a second one, so what is behind the end of the path is dropped outside. All other filters apply
// to the rows that the path yields. They are examined in steps that grow, and between two steps other requests run. A page
// that is not full once EXAMINED_MAX rows were examined ends early, and says where the next one begins.

import { setImmediate } from 'node:timers/promises';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { invalidField, type Refusal } from '../domain/errors.ts';
import type { Position } from '../lib/cursor.ts';
import { dialectOf, rowsOf } from './dialect.ts';
import {
  aliasesOf,
  type ListRows,
  nextRows,
  type OrderColumn,
  pathsOf,
  placeOf,
} from './list-path.ts';
import { query, type Row, type Runner } from './runner.ts';

/** How many rows a request examines, beside those of its page. */
export const EXAMINED_MAX = 5_000;
const STEP_GROWTH = 4;
/** Which share of the rows a filter of `among` may select, and all of them together. */
const AMONG_SHARE = 0.2;
const AMONG_TOGETHER_SHARE = 0.6;

export const examinedMaxOf = ({ examinedMax = EXAMINED_MAX }: Runner): number => examinedMax;

export interface PageRequest<Sort extends string = 'id'> {
  limit: number;
  sort: Sort | `-${Sort}`;
  after?: Position | undefined;
}

export interface Page<T> {
  items: T[];
  hasMore: boolean;
  /** Where the next page begins. It is there while `hasMore` is true. */
  end?: Position;
}

/** A filter with an index of its own, which yields another order. */
export interface Among {
  where: readonly Sql[];
  /** The columns by which the index orders the rows of the list, or queries that read the ids from an index, in its order. */
  index: string | readonly Sql[];
}

export const byId: readonly OrderColumn[] = [{ name: 'id', type: 'number' }];

export interface List<R extends Row, T> extends ListRows {
  itemOf: (row: R) => T;
  /** Whose rows they are; absent for a list of the operator. */
  workspaceId?: number;
  /** All other filters. */
  filters?: readonly Sql[];
  /** If one of them selects few rows, they are found by its index and sorted. Otherwise they are filters like others. */
  among?: readonly Among[];
  /** A request that reads several lists divides what it may examine; `examinedMaxOf` the runner if absent. */
  examinedMax?: number;
}

/** Reads one page of a list. */
export async function list<R extends Row, T>(
  runner: Runner,
  given: List<R, T>,
  page: PageRequest<string>,
): Promise<Page<T>> {
  checkPosition(given, page);
  const { among = [], examinedMax = examinedMaxOf(runner) } = given;
  const filters = filtersOf(given);
  if (filters.length === 0) return read(runner, given, page);
  const reads = among.reduce(
    (sum, { index }) => sum + (Array.isArray(index) ? index.length : 1),
    0,
  );
  const most = Math.floor(examinedMax * Math.min(AMONG_SHARE, AMONG_TOGETHER_SHARE / reads));
  for (const each of among) {
    const ids = await idsAmong(runner, given, each, most);
    if (ids) return listThese(runner, ids, given, page);
  }
  return examine(runner, { ...given, filters }, page, examinedMax - reads * most);
}

/** Reads one page of those rows of a list that have one of these ids. They are few, so all filters apply to all of them. */
export function listThese<R extends Row, T>(
  runner: Runner,
  ids: readonly number[],
  given: List<R, T>,
  page: PageRequest<string>,
): Promise<Page<T>> {
  checkPosition(given, page);
  const ofPaths = pathsOf(given).map((along) => {
    const points = along.map(({ column, value }) => sql`${raw(column)} = ${value}`);
    return points.length === 0 ? [] : [sql`(${join(points, ' AND ')})`];
  });
  const isOfPath = ofPaths.flat().length === 0 ? [] : [sql`(${join(ofPaths.flat(), ' OR ')})`];
  const filters = [...filtersOf(given), ...isOfPath];
  const these = { ...given, indexed: undefined, along: undefined, alongAny: [[]], filters };
  return read(runner, these, page, ids);
}

/** The first rows of a list, at most `max`, which are read in steps as the rows of a page with filters are. */
export async function listFirst<R extends Row, T>(
  runner: Runner,
  given: List<R, T>,
  { sort, max }: { sort: string; max: number },
): Promise<T[]> {
  const { stepRowsMax, readsInThread } = dialectOf(runner);
  const items: T[] = [];
  for (let after: Position | undefined; items.length < max; ) {
    const limit = Math.min(stepRowsMax, max - items.length);
    const page = await list(runner, given, { sort, limit, after });
    items.push(...page.items);
    if (!page.hasMore) break;
    after = page.end;
    if (readsInThread) await nextTurn();
  }
  return items;
}

/** A page with each record in another shape. */
export function mapPage<R, V>(page: Page<R>, shapeOf: (record: R) => V): Page<V> {
  return { ...page, items: page.items.map(shapeOf) };
}

function filtersOf<R extends Row>({ filters = [], among = [] }: List<R, unknown>): Sql[] {
  return [...filters, ...among.flatMap(({ where }) => where)];
}

/** The ids of the rows that a filter of `among` selects; undefined if the index has `most` entries for it or more. */
async function idsAmong<R extends Row>(
  runner: Runner,
  { table, where, workspaceId }: List<R, unknown>,
  { where: filter, index }: Among,
  most: number,
): Promise<number[] | undefined> {
  const entries =
    typeof index === 'string'
      ? [
          sql`SELECT id FROM ${raw(table)} WHERE ${join([where, ...filter], ' AND ')} ORDER BY ${raw(index)}`,
        ]
      : index.map((each) => sql`SELECT id FROM (${each} LIMIT ${most}) AS entries`);
  const rows = await query<readonly [id: number]>(
    runner,
    sql`${join(entries, ' UNION ALL ')} LIMIT ${most}`,
    workspaceId,
  );
  return rows.length === most ? undefined : [...new Set(rows.map(([id]) => id))];
}

/**
 * Reads a page of rows all of which are wanted, or of the few that `these` selects. A planner that saw both at once could
 * prefer to follow the order of the list until it has met them all.
 */
async function read<R extends Row, T>(
  runner: Runner,
  given: List<R, T>,
  page: PageRequest<string>,
  ids?: readonly number[],
): Promise<Page<T>> {
  const { table, workspaceId, filters = [] } = given;
  const from = ids && rowsOf(runner, table, { workspaceId: workspaceId!, ids });
  const next = { ...page, limit: page.limit + 1 };
  const rows = await query<Row>(
    runner,
    nextRows(runner, given, { filters, from }, next),
    given.workspaceId,
  );
  return pageOf(given, rows, page.limit);
}

/** Reads a page of the rows that match, from at most `examinedMax` rows of all paths. */
async function examine<R extends Row, T>(
  runner: Runner,
  given: List<R, T>,
  { limit, sort, after: begin }: PageRequest<string>,
  examinedMax: number,
): Promise<Page<T>> {
  const matches: Row[] = [];
  let after = begin;
  const paths = pathsOf(given).length;
  let left = Math.floor(examinedMax / paths);
  const { stepRowsMax, readsInThread } = dialectOf(runner);
  // A page of which one row in STEP_GROWTH matches takes one round trip to a server.
  const first = (limit + 1) * (readsInThread ? 1 : STEP_GROWTH);
  for (let rows = first; left > 0; rows *= STEP_GROWTH) {
    const step = { sort, after, limit: Math.min(rows, stepRowsMax, left) };
    const found = await readStep(runner, given, step, limit + 1);
    matches.push(...found.matches);
    if (matches.length > limit || !found.end) return pageOf(given, matches, limit);
    after = found.end;
    left -= step.limit;
    if (readsInThread) await nextTurn();
  }
  const items = matches.map((row) => given.itemOf(row as R));
  return { items, hasMore: true, end: after! };
}

let lastTurn = Promise.resolve();

/**
 * Resolves one round of the event loop after the call before. SQLite answers at once, so other requests run between two
 * steps, and however many lists look for their rows, one of them takes a step in each round.
 */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/**
 * Examines the next rows of the path, and returns those that match, `matchesMax` or more if there are so many. Otherwise `end` is
 * the last row that was examined, unless the path ends with these rows.
 */
async function readStep<R extends Row>(
  runner: Runner,
  given: List<R, unknown>,
  step: PageRequest<string>,
  matchesMax: number,
): Promise<{ matches: Row[]; end: Position | undefined }> {
  const isMatch = sql`CASE WHEN ${join([...(given.filters ?? [])], ' AND ')} THEN 1 ELSE 0 END`;
  const rows = await query<Row>(
    runner,
    sql`SELECT ${aliasesOf(given)}, is_match, place FROM (
          SELECT examined.*, row_number() OVER (ORDER BY ${placeOf(given, step.sort)}) AS place
          FROM (${nextRows(runner, given, { isMatch }, step)}) AS examined
        ) AS placed WHERE is_match = 1 OR place = CAST(${step.limit} AS BIGINT)
        ORDER BY place LIMIT ${matchesMax + 1}`,
    given.workspaceId,
  );
  const last = rows.at(-1);
  return {
    matches: rows.filter((row) => row.at(-2) === 1).map((row) => row.slice(0, -2)),
    end: last?.at(-1) === step.limit ? endOf(given, last.slice(0, -2)) : undefined,
  };
}

/** The first `limit` rows, and whether there are more. */
function pageOf<R extends Row, T>(given: List<R, T>, rows: readonly Row[], limit: number): Page<T> {
  const shown = rows.slice(0, limit);
  const items = shown.map((row) => given.itemOf(row as R));
  if (rows.length <= limit) return { items, hasMore: false };
  return { items, hasMore: true, end: endOf(given, shown.at(-1)!) };
}

/** The position of a row, which ends with the columns of the order. */
function endOf({ order }: Pick<List<never, never>, 'order'>, row: Row): Position {
  return row.slice(-order.length) as unknown as Position;
}

/** A client can forge a cursor, so its position may be one of another order. */
function checkPosition<R extends Row>({ order }: List<R, unknown>, { after }: PageRequest<string>) {
  if (!after) return;
  const isOfOrder =
    after.length === order.length && order.every(({ type }, at) => typeof after[at] === type);
  if (isOfOrder) return;
  throw invalidCursor();
}

export function invalidCursor(): Refusal {
  return invalidField('cursor', 'was not made for this list with these filters and this sort');
}
