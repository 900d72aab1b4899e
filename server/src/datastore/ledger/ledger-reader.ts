// The ledger of a whole workspace, over all its pets. The table has no column for the workspace and no index for it,
// since every order would pay for one. A page is read in windows of ids along the primary key. A window without a row of
// the workspace is followed by a jump to its next row, which the index by pet finds. What one request may read is bounded:
// where the rows wanted are rare, a page ends early and says where the next one begins.

import { setImmediate } from 'node:timers/promises';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { MovementCause, MovementRecord } from '../../domain/inventory.ts';
import { MOVEMENT_COLUMNS, type MovementRow, movementOf } from '../inventory.ts';
import type { Page, PageRequest } from '../page.ts';
import { query, Reader, type Runner, statement } from '../runner.ts';
import { type IdRange, idsBetween } from './ids-between.ts';

interface LedgerFilter {
  petId?: number | undefined;
  cause?: MovementCause | undefined;
  keyId?: string | undefined;
  /** Included. */
  from?: number | undefined;
  /** Excluded. */
  to?: number | undefined;
}

/** What one request may read: rows in windows and of a pet, look-ups in jumps. */
const READ_MAX = 20_000;
const WINDOW_MIN = 128;
const WINDOW_MAX = 2_048;

const OWN_COLUMNS = ['id', ...MOVEMENT_COLUMNS.split(',')].map((column) => `m.${column.trim()}`);
const COLUMNS = raw(
  `${OWN_COLUMNS.join(', ')}, (SELECT later.id FROM movements later WHERE later.reverses = m.id)`,
);
const countPets = statement<readonly [number]>(
  `SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM pets WHERE workspace_id = $1 AND deleted_at IS NULL LIMIT $2) AS present)
     + (SELECT COUNT(*) FROM (SELECT 1 FROM pets WHERE workspace_id = $1 AND deleted_at IS NOT NULL LIMIT $2) AS deleted)`,
);
const ownsPet = statement<readonly [number]>(
  'SELECT 1 FROM pets WHERE id = $1 AND workspace_id = $2',
);
const nextOwnDown = statement<readonly [number | null]>(nextOwn('MAX'));
const nextOwnUp = statement<readonly [number | null]>(nextOwn('MIN'));

export class LedgerReader extends Reader {
  /** Rows of deleted pets are included. */
  async list(
    workspaceId: number,
    filter: LedgerFilter,
    page: PageRequest,
  ): Promise<Page<MovementRecord>> {
    const isDescending = page.sort === '-id';
    const range = await this.#rangeOf(filter, page, isDescending);
    const scan = { workspaceId, filter, isDescending, limit: page.limit + 1 };
    const { petId } = filter;
    if (petId !== undefined && !(await this.runner.row(ownsPet, [petId, workspaceId]))) {
      return { items: [], hasMore: false };
    }
    const { rows, rest } = await this.#collect(range, scan);
    const items = rows.map(movementOf);
    if (items.length > page.limit) return { items: items.slice(0, page.limit), hasMore: true };
    if (isEmpty(rest)) return { items, hasMore: false };
    return { items, hasMore: true, end: { id: isDescending ? rest.high + 1 : rest.low - 1 } };
  }

  /** The ids that the page may cover. If it continues another page, the end at which it starts is known. */
  async #rangeOf(
    filter: LedgerFilter,
    { after }: PageRequest,
    isDescending: boolean,
  ): Promise<IdRange> {
    const { from, to } = filter;
    if (!after) return idsBetween(this.runner, { from, to });
    const { low, high } = await idsBetween(this.runner, isDescending ? { from } : { to });
    return isDescending ? { low, high: Math.min(high, after.id - 1) } : { low: after.id + 1, high };
  }

  async #collect(range: IdRange, scan: Scan): Promise<{ rows: MovementRow[]; rest: IdRange }> {
    const rows: MovementRow[] = [];
    let jumps: Jumps | undefined;
    let rest = range;
    let size = WINDOW_MIN;
    for (let read = 0; read < READ_MAX && !isEmpty(rest); read += size) {
      const window = await this.#window(rest, size, scan);
      const found = await this.#rowsIn(window, { ...scan, limit: scan.limit - rows.length });
      rows.push(...found);
      rest = without(rest, window, scan.isDescending);
      if (rows.length >= scan.limit) break;
      // SQLite reads without waiting, so nothing else would run until the last window.
      await setImmediate();
      size = Math.min(size * 2, WINDOW_MAX);
      if (found.length > 0 || isEmpty(rest) || scan.filter.petId !== undefined) continue;
      jumps ??= await this.#jumpsOf(scan);
      const jumped = await jumps.jump(rest);
      if (jumped) {
        rest = jumped;
        size = WINDOW_MIN;
      }
    }
    return { rows, rest };
  }

  /** The ids that are read next. Those of one pet are far apart, so its window is measured in rows. */
  async #window({ low, high }: IdRange, size: number, scan: Scan): Promise<IdRange> {
    const { filter, isDescending } = scan;
    if (filter.petId === undefined) {
      return isDescending
        ? { low: Math.max(low, high - size + 1), high }
        : { low, high: Math.min(high, low + size - 1) };
    }
    const [row] = await query<readonly [number]>(
      this.runner,
      sql`SELECT id FROM movements WHERE pet_id = ${filter.petId} AND id BETWEEN ${low} AND ${high}
          ORDER BY id ${raw(isDescending ? 'DESC' : 'ASC')} LIMIT 1 OFFSET ${size - 1}`,
    );
    if (!row) return { low, high };
    return isDescending ? { low: row[0], high } : { low, high: row[0] };
  }

  #rowsIn({ low, high }: IdRange, scan: Scan): Promise<MovementRow[]> {
    const { workspaceId, filter, isDescending, limit } = scan;
    const where = [
      sql`m.id BETWEEN ${low} AND ${high} AND p.workspace_id = ${workspaceId}`,
      ...conditionsOf(filter),
    ];
    return query<MovementRow>(
      this.runner,
      sql`SELECT ${COLUMNS} FROM movements m JOIN pets p ON p.id = m.pet_id
          WHERE ${join(where, ' AND ')} ORDER BY m.id ${raw(isDescending ? 'DESC' : 'ASC')} LIMIT ${limit}`,
    );
  }

  async #jumpsOf({ workspaceId, isDescending }: Scan): Promise<Jumps> {
    const [pets] = (await this.runner.row(countPets, [workspaceId, READ_MAX]))!;
    const jumpsMax = Math.floor(READ_MAX / Math.max(1, pets));
    return new Jumps({ runner: this.runner, workspaceId, isDescending, jumpsMax });
  }
}

interface Scan {
  workspaceId: number;
  filter: LedgerFilter;
  isDescending: boolean;
  limit: number;
}

interface JumpOptions {
  runner: Runner;
  workspaceId: number;
  isDescending: boolean;
  jumpsMax: number;
}

/** Skips the rows of other workspaces. A jump looks at the next row of every pet. */
class Jumps {
  readonly #options: JumpOptions;
  #left: number;

  constructor(options: JumpOptions) {
    this.#options = options;
    this.#left = options.jumpsMax;
  }

  /** What is left of the range from the next row of the workspace on; undefined when no jump is left. */
  async jump({ low, high }: IdRange): Promise<IdRange | undefined> {
    if (this.#left === 0) return undefined;
    this.#left -= 1;
    const { runner, workspaceId, isDescending } = this.#options;
    const next = isDescending ? nextOwnDown : nextOwnUp;
    const [id] = (await runner.row(next, [workspaceId, low, high]))!;
    if (id === null) return isDescending ? { low, high: low - 1 } : { low: high + 1, high };
    // No gap: these are rows of the workspace that the filter skips, and windows read them faster.
    if (id === (isDescending ? high : low)) this.#left = 0;
    return isDescending ? { low, high: id } : { low: id, high };
  }
}

/** Two halves, because the indexes of pets are partial. */
function nextOwn(pick: 'MAX' | 'MIN'): string {
  const half = (deleted: string) => `SELECT (SELECT ${pick}(m.id) FROM movements m
      WHERE m.pet_id = p.id AND m.id BETWEEN $2 AND $3) AS id
    FROM pets p WHERE p.workspace_id = $1 AND p.deleted_at ${deleted}`;
  return `SELECT ${pick}(id) FROM (${half('IS NULL')} UNION ALL ${half('IS NOT NULL')}) AS next_rows`;
}

function conditionsOf({ petId, cause, keyId, from, to }: LedgerFilter): Sql[] {
  return [
    ...(petId === undefined ? [] : [sql`m.pet_id = ${petId}`]),
    ...(cause === undefined ? [] : [sql`m.cause = ${cause}`]),
    ...(keyId === undefined ? [] : [sql`m.key_id = ${keyId}`]),
    ...(from === undefined ? [] : [sql`m.at >= ${from}`]),
    ...(to === undefined ? [] : [sql`m.at < ${to}`]),
  ];
}

function without(range: IdRange, read: IdRange, isDescending: boolean): IdRange {
  return isDescending
    ? { low: range.low, high: read.low - 1 }
    : { low: read.high + 1, high: range.high };
}

function isEmpty({ low, high }: IdRange): boolean {
  return low > high;
}
