// The rows of a list in its order, from where a page begins: what an index yields, and nothing that an engine would have to
// look for.

import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { Position } from '../lib/cursor.ts';
import { dialectOf } from './dialect.ts';
import type { Runner, Value } from './runner.ts';

/** A column, and the value that is wanted of it. */
interface Point {
  column: string;
  value: Value;
}

/** The columns that an index has before those of the order, and the values that are wanted. */
export type Along = readonly Point[];

/** A column by which a list is ordered. */
export interface OrderColumn {
  name: string;
  type: 'number' | 'string';
}

type Bound = number | string | undefined;

export interface ListRows {
  table: string;
  columns: readonly string[];
  /** The rows that the index of the path has: those of the workspace, for example. */
  where: Sql;
  /** What else is true of the rows of a partial index. An engine uses it only for a query that says so. */
  indexed?: Sql | undefined;
  /** The column that the index has before those of the order, and the value that is wanted. */
  along?: Point | undefined;
  /** Instead of `along`, for a list of several kinds of rows: the rows of each kind are merged. */
  alongAny?: readonly Along[];
  /** The columns by which the index orders the rows, the id last. */
  order: readonly OrderColumn[];
  /** A range of the first column of the order: `from` is included, `to` is not. */
  within?: { from?: Bound; to?: Bound };
}

/** How many rows of a list are next, in which order, and after which one. */
interface Step {
  sort: string;
  limit: number;
  after?: Position | undefined;
}

interface Source {
  /** Becomes a column `is_match`. */
  isMatch?: Sql;
  filters?: readonly Sql[];
  /** Where the rows are read from, if not from the whole table. */
  from?: Sql | undefined;
}

/** The next rows of the path, or of all paths of the list: each yields its next rows, and the first of them are taken. */
export function nextRows(
  runner: Runner,
  given: ListRows,
  { isMatch, filters = [], from = raw(given.table) }: Source,
  step: Step,
): Sql {
  const { columns } = given;
  const shown = isMatch ? sql`${aliasesOf(given)}, is_match` : aliasesOf(given);
  const marked = isMatch ? sql`, ${isMatch} AS is_match` : empty;
  const paths = pathsOf(given).map((along) => {
    const ends = endsOf(given, along, step.sort);
    const aliased = [...columns, ...orderNames(given)].map((name, at) => `${name} AS c${at}`);
    const points = ends.length === 0 ? [] : along.map(({ column }, at) => `${column} AS p${at}`);
    const conditions = [...beginOf(runner, given, along, step), ...filters];
    const next = sql`SELECT ${raw([...aliased, ...points].join(', '))}${marked}
      FROM ${from} WHERE ${join(conditions, ' AND ')}
      ORDER BY ${inDirection(pathNames(given, along), step.sort)} LIMIT ${step.limit}`;
    const isWithin = ends.length === 0 ? empty : sql` WHERE ${join(ends, ' AND ')}`;
    return { next, isWithin };
  });
  const [first] = paths;
  // The rows of a single path are in order.
  if (paths.length === 1 && first!.isWithin === empty) return first!.next;
  const each = paths.map(
    ({ next, isWithin }) => sql`SELECT ${shown} FROM (${next}) AS path${isWithin}`,
  );
  return sql`SELECT ${shown} FROM (${join(each, ' UNION ALL ')}) AS paths
    ORDER BY ${placeOf(given, step.sort)} LIMIT ${step.limit}`;
}

/** The rows of a path from where the page begins: after the last row of the page before, or at the beginning. */
function beginOf(runner: Runner, given: ListRows, along: Along, { sort, after }: Step): Sql[] {
  const { indexed, within: { from, to } = {} } = given;
  const where = indexed ? sql`${given.where} AND ${indexed}` : given.where;
  const asId = raw(dialectOf(runner).asId);
  const compare = (operator: string, ends: readonly (Value | undefined)[]) => {
    const values = [...along.map(({ value }) => value), ...ends].filter((end) => end !== undefined);
    const names = raw(pathNames(given, along).slice(0, values.length).join(', '));
    return values.length === 0 ? [] : [sql`(${names}) ${raw(operator)} (${join(values)}${asId})`];
  };
  const first = after?.[0] as number | string;
  if (sort.startsWith('-')) {
    const isWithin = after && (to === undefined || first < to);
    if (isWithin) return [where, ...compare('<', after)];
    return [where, ...compare(to === undefined ? '<=' : '<', [to])];
  }
  const isWithin = after && (from === undefined || first >= from);
  return [where, ...(isWithin ? compare('>', after) : compare('>=', [from]))];
}

/** What drops the rows behind the end of a path. */
function endsOf(
  { columns, within: { from, to } = {} }: ListRows,
  along: Along,
  sort: string,
): Sql[] {
  const points = along.map(({ value }, at) => sql`${raw(`p${at}`)} = ${value}`);
  const first = raw(`c${columns.length}`);
  const isDescending = sort.startsWith('-');
  if (isDescending && from !== undefined) return [...points, sql`${first} >= ${from}`];
  if (!isDescending && to !== undefined) return [...points, sql`${first} < ${to}`];
  return points;
}

/** What each path of a list goes along. */
export function pathsOf({ along, alongAny }: ListRows): readonly Along[] {
  return alongAny ?? [along ? [along] : []];
}

/** The columns of the index that a path follows. */
function pathNames(given: ListRows, along: Along): string[] {
  return [...along.map(({ column }) => column), ...orderNames(given)];
}

/** The order by the aliases of `aliasesOf`. */
export function placeOf({ columns, order }: ListRows, sort: string): Sql {
  const names = order.map((_, at) => `c${columns.length + at}`);
  return inDirection(names, sort);
}

function inDirection(names: readonly string[], sort: string): Sql {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  return raw(names.map((name) => `${name} ${direction}`).join(', '));
}

/** The columns of the list and of its order: each has an alias, since the same column may be in both. */
export function aliasesOf({ columns, order }: ListRows): Sql {
  return raw([...columns, ...order].map((_, at) => `c${at}`).join(', '));
}

function orderNames({ order }: Pick<ListRows, 'order'>): string[] {
  return order.map(({ name }) => name);
}
