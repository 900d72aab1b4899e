// Every list of the service is read here, so that no request examines more than EXAMINED_MAX rows, whatever its filters.
//
// A list follows one index, its path, from where the page begins. No planner can leave it: the inner query has the order and
// the limit, and `along` is written as a range, so that no other index yields the same order. All other filters are applied
// to the rows that the path yields. They are examined in steps that grow, and between two steps other requests run. A page
// that is not full once EXAMINED_MAX rows were examined ends early, and says where the next one begins.

import { setImmediate } from 'node:timers/promises';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { invalidField, type Refusal } from '../domain/errors.ts';
import type { Position } from '../lib/cursor.ts';
import { isOneOf } from './dialect.ts';
import { query, type Row, type Runner, type Value } from './runner.ts';

/** How many rows a request examines, beside those of its page. */
export const EXAMINED_MAX = 5_000;
const STEP_ROWS_MAX = 1_000;
const STEP_GROWTH = 4;
/** How many rows a filter of `among` may select, and all of them together. */
export const AMONG_MAX = 1_000;
const AMONG_TOGETHER_MAX = 3_000;

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

/** A column, and the value that is wanted of it. */
interface Point {
  column: string;
  value: Value;
}

/** The columns that an index has before those of the order, and the values that are wanted. */
export type Along = readonly Point[];

/** A column by which a list is ordered. */
interface OrderColumn {
  name: string;
  type: 'number' | 'string';
}

/** A filter with an index of its own, which yields another order. */
export interface Among {
  where: readonly Sql[];
  /** The columns by which the index orders the rows of the list, or a query that reads their ids from another table. */
  index: string | Sql;
}

export const byId: readonly OrderColumn[] = [{ name: 'id', type: 'number' }];

export interface List<R extends Row, T> {
  table: string;
  columns: readonly string[];
  itemOf: (row: R) => T;
  /** Whose rows they are; absent for a list of the operator. */
  workspaceId?: number;
  /** The rows that the index of the path has: those of the workspace, for example. */
  where: Sql;
  /** The column that the index has before those of the order, and the value that is wanted. */
  along?: Point | undefined;
  /** Instead of `along`, for a list of several kinds of rows: the rows of each kind are merged. */
  alongAny?: readonly Along[];
  /** The columns by which the index orders the rows, the id last. */
  order: readonly OrderColumn[];
  /** A range of the first column of the order. */
  within?: readonly Sql[];
  /** All other filters. */
  filters?: readonly Sql[];
  /** If one of them selects few rows, they are found by its index and sorted. Otherwise they are filters like others. */
  among?: readonly Among[];
}

/** Reads one page of a list. */
export async function list<R extends Row, T>(
  runner: Runner,
  given: List<R, T>,
  page: PageRequest<string>,
): Promise<Page<T>> {
  checkPosition(given, page);
  const { among = [] } = given;
  const filters = filtersOf(given);
  if (filters.length === 0) return read(runner, given, page);
  const most = Math.min(AMONG_MAX, Math.floor(AMONG_TOGETHER_MAX / among.length));
  for (const each of among) {
    const ids = await idsAmong(runner, given, each, most);
    if (ids) return listThese(runner, ids, given, page);
  }
  const examined = among.length * most;
  return examine(runner, { ...given, filters }, page, EXAMINED_MAX - examined);
}

/** Reads one page of those rows of a list that have one of these ids. They are few, so all filters apply to all of them. */
export function listThese<R extends Row, T>(
  runner: Runner,
  ids: readonly number[],
  given: List<R, T>,
  page: PageRequest<string>,
): Promise<Page<T>> {
  checkPosition(given, page);
  const where = sql`${given.where} AND ${isOneOf(runner, 'id', ids)}`;
  return read(runner, { ...given, where, filters: filtersOf(given) }, page);
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
      ? sql`SELECT id FROM ${raw(table)} WHERE ${join([where, ...filter], ' AND ')} ORDER BY ${raw(index)}`
      : index;
  const rows = await query<readonly [id: number]>(
    runner,
    sql`${entries} LIMIT ${most}`,
    workspaceId,
  );
  return rows.length === most ? undefined : [...new Set(rows.map(([id]) => id))];
}

/** Reads a page of rows all of which are wanted, or of few rows. */
async function read<R extends Row, T>(
  runner: Runner,
  given: List<R, T>,
  page: PageRequest<string>,
): Promise<Page<T>> {
  const { filters = [] } = given;
  const selected = raw(aliasedOf(given).join(', '));
  const next = { ...page, limit: page.limit + 1 };
  const rows = await query<Row>(
    runner,
    nextRows(given, { selected, filters }, next),
    given.workspaceId,
  );
  return pageOf(given, rows, page.limit);
}

/** Reads a page of the rows that match, from at most `examinedMax` rows of the path. */
async function examine<R extends Row, T>(
  runner: Runner,
  given: List<R, T>,
  { limit, sort, after: begin }: PageRequest<string>,
  examinedMax = EXAMINED_MAX,
): Promise<Page<T>> {
  const matches: Row[] = [];
  let after = begin;
  let left = examinedMax;
  for (let rows = limit + 1; left > 0; rows = Math.min(rows * STEP_GROWTH, STEP_ROWS_MAX)) {
    const step = { sort, after, limit: Math.min(rows, left) };
    const found = await readStep(runner, given, step);
    matches.push(...found.matches);
    if (matches.length > limit || !found.end) return pageOf(given, matches, limit);
    after = found.end;
    left -= step.limit;
    // SQLite answers at once: without a pause, nothing else would run until the end.
    await setImmediate();
  }
  const items = matches.map((row) => given.itemOf(row as R));
  return { items, hasMore: true, end: after! };
}

/** Examines the next rows of the path. `end` is the last of them, and absent if the path ends with these rows. */
async function readStep<R extends Row>(
  runner: Runner,
  given: List<R, unknown>,
  step: PageRequest<string>,
): Promise<{ matches: Row[]; end: Position | undefined }> {
  const aliased = aliasedOf(given);
  const aliases = aliased.map((_, at) => `c${at}`).join(', ');
  const matches = join([...(given.filters ?? [])], ' AND ');
  const selected = sql`${raw(aliased.join(', '))}, CASE WHEN ${matches} THEN 1 ELSE 0 END AS is_match`;
  const rows = await query<Row>(
    runner,
    sql`SELECT ${raw(aliases)}, is_match, place FROM (
          SELECT examined.*, row_number() OVER (ORDER BY ${placeOf(given, step.sort)}) AS place
          FROM (${nextRows(given, { selected, filters: [] }, step)}) AS examined
        ) AS placed WHERE is_match = 1 OR place = CAST(${step.limit} AS BIGINT) ORDER BY place`,
    given.workspaceId,
  );
  const last = rows.at(-1);
  return {
    matches: rows.filter((row) => row.at(-2) === 1).map((row) => row.slice(0, -2)),
    end: last?.at(-1) === step.limit ? endOf(given, last.slice(0, -2)) : undefined,
  };
}

/** The next rows of the path, or of all paths of the list: each yields its next rows, and the first of them are taken. */
function nextRows<R extends Row>(
  given: List<R, unknown>,
  { selected, filters }: { selected: Sql; filters: readonly Sql[] },
  step: PageRequest<string>,
): Sql {
  const { table, alongAny = [given.along ? [given.along] : []] } = given;
  const paths = alongAny.map((along) => {
    const conditions = [...conditionsOf(given, along, step), ...filters];
    return sql`SELECT ${selected} FROM ${raw(table)} WHERE ${join(conditions, ' AND ')}
      ORDER BY ${orderOf(given, along, step.sort)} LIMIT ${step.limit}`;
  });
  if (paths.length === 1) return paths[0]!;
  const each = paths.map((path) => sql`SELECT * FROM (${path}) AS path`);
  return sql`SELECT * FROM (${join(each, ' UNION ALL ')}) AS paths
    ORDER BY ${placeOf(given, step.sort)} LIMIT ${step.limit}`;
}

/** The rows of the path after the one where the page before has ended. */
function conditionsOf<R extends Row>(
  { where, within = [], order }: List<R, unknown>,
  along: Along,
  { sort, after }: Pick<PageRequest<string>, 'sort' | 'after'>,
): Sql[] {
  const [from, upTo] = rangeOf(along, sort);
  if (!after) return [where, ...(from && upTo ? [from, upTo] : []), ...within];
  const names = raw([...along.map(({ column }) => column), ...orderNames({ order })].join(', '));
  const values = join([...along.map(({ value }) => value), ...after]);
  const begins = sort.startsWith('-')
    ? sql`(${names}) < (${values})`
    : sql`(${names}) > (${values})`;
  return [where, begins, ...(upTo ? [upTo] : []), ...within];
}

/** The two ends of the rows along which a list goes, the one where it begins first. */
function rangeOf(along: Along, sort = ''): readonly Sql[] {
  if (along.length === 0) return [];
  const names = raw(along.map(({ column }) => column).join(', '));
  const values = join(along.map(({ value }) => value));
  const ends = [sql`(${names}) >= (${values})`, sql`(${names}) <= (${values})`];
  return sort.startsWith('-') ? ends.reverse() : ends;
}

function orderOf<R extends Row>({ order }: List<R, unknown>, along: Along, sort: string): Sql {
  const names = [...along.map(({ column }) => column), ...orderNames({ order })];
  return inDirection(names, sort);
}

/** The order by the aliases of `aliasedOf`. */
function placeOf<R extends Row>({ columns, order }: List<R, unknown>, sort: string): Sql {
  const names = order.map((_, at) => `c${columns.length + at}`);
  return inDirection(names, sort);
}

function inDirection(names: readonly string[], sort: string): Sql {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  return raw(names.map((name) => `${name} ${direction}`).join(', '));
}

/** The columns of the list and of its order, each with an alias: the same column may be in both. */
function aliasedOf<R extends Row>({ columns, order }: List<R, unknown>): string[] {
  return [...columns, ...orderNames({ order })].map((name, at) => `${name} AS c${at}`);
}

function orderNames({ order }: Pick<List<never, never>, 'order'>): string[] {
  return order.map(({ name }) => name);
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
