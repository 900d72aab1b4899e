import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { PetRecord } from '../domain/pet.ts';
import { type PetStatus, petStatuses, type Stock } from '../domain/stock.ts';
import { foldCase } from '../lib/text.ts';
import { prefixConditions } from './categories.ts';
import { dialectOf, perEngine } from './dialect.ts';
import { arrivalOf, EventWriter } from './events.ts';
import { ConstraintViolation } from './failures.ts';
import type { MovementOrigin } from './inventory.ts';
import { continueAfter, orderAndLimit, type Page, type PageRequest, pageOf } from './page.ts';
import {
  insertion,
  insertRow,
  lockingStatement,
  query,
  Reader,
  type Runner,
  type SingleStatement,
  statement,
} from './runner.ts';

type PetRow = readonly [
  id: number,
  name: string,
  categoryId: number,
  quantity: number,
  reserved: number,
  held: number,
];

type NewPetRow = readonly [
  id: number,
  name: string,
  categoryId: number,
  quantity: number,
  held: number,
];

const COLUMNS = 'id, name, category_id, quantity, reserved, held';
const FIND = `SELECT ${COLUMNS} FROM pets
  WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL`;
const find = statement<PetRow>(FIND);
const findAndLock = lockingStatement<PetRow>(FIND, 'pets');
// The plus keeps SQLite from searching an index by workspace where the id alone finds the row.
const findMany = perEngine(({ isIn }) =>
  statement<PetRow>(
    `SELECT ${COLUMNS} FROM pets
     WHERE ${isIn('id', '$2')} AND +workspace_id = $1 AND deleted_at IS NULL`,
  ),
);
const INSERT = `INSERT INTO pets (workspace_id, category_id, name, name_key, quantity, reserved, held)
  SELECT workspace_id, id, $3, $4, CAST($5 AS BIGINT), 0, CAST($6 AS BIGINT) FROM categories
  WHERE workspace_id = $2 AND id = $1`;
const insert = insertion(INSERT);
const openLedger = insertion(
  `INSERT INTO movements (pet_id, cause, quantity_before, quantity_after, reserved_before,
     reserved_after, key_id, at)
   VALUES ($1, 'created', 0, $2, 0, 0, $3, $4)`,
);
// PostgreSQL does all steps in one round trip. SQLite has no round trips and no CTEs that write.
const createInOne: SingleStatement = {
  ctes: (condition) => `pet AS (${INSERT}${condition} RETURNING id), result AS (
    INSERT INTO movements (pet_id, cause, quantity_before, quantity_after, reserved_before,
      reserved_after, key_id, at)
    SELECT id, 'created', 0, CAST($5 AS BIGINT), 0, 0, $7, CAST($8 AS BIGINT) FROM pet
    RETURNING id, pet_id
  ), emitted AS (${arrivalOf('pet.created', { text: '$9', at: '$8', from: 'FROM result' })})`,
  column: 'pet_id',
};
const update = statement(
  `UPDATE pets SET name = $3, name_key = $4, category_id = $5
   WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL`,
);
const hide = statement(
  `UPDATE pets SET deleted_at = $3, category_id = NULL
   WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL AND reserved = 0`,
);

interface PetFilter {
  status?: PetStatus;
  categoryId?: number;
  namePrefix?: string;
  ids?: readonly number[];
}

export class PetReader extends Reader {
  async find(workspaceId: number, id: number): Promise<PetRecord | undefined> {
    const row = await this.runner.row(find, [id, workspaceId]);
    return row && petOf(row);
  }

  async list(
    workspaceId: number,
    filter: PetFilter,
    page: PageRequest<'id' | 'name'>,
  ): Promise<Page<PetRecord>> {
    const { status, categoryId, namePrefix, ids } = filter;
    const isFiltered = (status ?? categoryId ?? namePrefix) !== undefined;
    if (ids && !isFiltered && page.sort === 'id' && !page.after) {
      return this.#listByIds(workspaceId, ids, page.limit);
    }
    const where = [
      sql`workspace_id = ${workspaceId} AND deleted_at IS NULL`,
      ...(status ? [sql`status = ${petStatuses.indexOf(status)}`] : []),
      ...(categoryId === undefined ? [] : [sql`category_id = ${categoryId}`]),
      ...(ids ? [this.#isAmong(ids)] : []),
      ...prefixConditions(namePrefix),
      ...continueAfter(page),
    ];
    const rows = await query<PetRow>(
      this.runner,
      sql`SELECT ${raw(COLUMNS)} FROM pets WHERE ${join(where, ' AND ')} ${orderAndLimit(page)}`,
    );
    return pageOf(rows, page.limit, petOf);
  }

  /** The usual way to ask for several pets: the text never changes, and sorting a few rows here costs less than there. */
  async #listByIds(workspaceId: number, ids: readonly number[], limit: number) {
    const wanted = dialectOf(this.runner).list([...new Set(ids)]);
    const rows = await this.runner.rows(findMany(this.runner), [workspaceId, wanted]);
    rows.sort(([a], [b]) => a - b);
    return pageOf(rows, limit, petOf);
  }

  #isAmong(ids: readonly number[]): Sql {
    const { list, isIn } = dialectOf(this.runner);
    const [before, after] = isIn('id', '?').split('?') as [string, string];
    return sql`${raw(before)}${list(ids)}${raw(after)}`;
  }
}

export class PetWriter extends PetReader {
  readonly #events: EventWriter;
  constructor(runner: Runner) {
    super(runner);
    this.#events = new EventWriter(runner);
  }

  async findAndLock(workspaceId: number, id: number): Promise<PetRecord | undefined> {
    const row = await this.runner.row(findAndLock, [id, workspaceId]);
    return row && petOf(row);
  }

  /** Writes the pet, the first row of its ledger and its event. Undefined when the workspace has no such category. */
  async create(workspaceId: number, pet: Omit<PetRecord, 'id'>, origin: MovementOrigin) {
    try {
      return await this.#insert(workspaceId, pet, origin);
    } catch (err) {
      if (isMissingCategory(err)) return undefined;
      throw err;
    }
  }

  /** The ids of many new pets, in the order in which they are given. Their categories exist and are locked. */
  async createMany(workspaceId: number, pets: readonly Omit<PetRecord, 'id'>[]): Promise<number[]> {
    if (pets.length === 0) return [];
    const rows = pets.map(({ name, categoryId, stock: { quantity, held } }) => {
      return sql`(${join([workspaceId, categoryId, name, foldCase(name), quantity, 0, +held])})`;
    });
    const created = await query<NewPetRow>(
      this.runner,
      sql`INSERT INTO pets (workspace_id, category_id, name, name_key, quantity, reserved, held)
          VALUES ${join(rows)} RETURNING id, name, category_id, quantity, held`,
    );
    return inGivenOrder(pets, created);
  }

  /** Name and category only: stock changes through its ledger. False when there is no such category. */
  async update(workspaceId: number, pet: PetRecord): Promise<boolean> {
    const { id, name, categoryId } = pet;
    try {
      await this.runner.run(update, [id, workspaceId, name, foldCase(name), categoryId]);
      return true;
    } catch (err) {
      if (isMissingCategory(err)) return false;
      throw err;
    }
  }

  /** False when it has open orders. */
  async hide(workspaceId: number, id: number, at: number): Promise<boolean> {
    return (await this.runner.run(hide, [id, workspaceId, at])) === 1;
  }

  async #insert(workspaceId: number, pet: Omit<PetRecord, 'id'>, origin: MovementOrigin) {
    const { name, categoryId, stock } = pet;
    const rest = [workspaceId, name, foldCase(name), stock.quantity, +stock.held];
    const data = { pet: { name, categoryId }, ...(stock.held ? { held: true } : {}) };
    const values = [...rest, origin.keyId, origin.at, JSON.stringify(data)];
    return this.runner.commitSingle(createInOne, [categoryId, ...values], async () => {
      const id = await insertRow(this.runner, insert, [categoryId, ...rest]);
      if (id === undefined) return undefined;
      const ledger = [id, stock.quantity, origin.keyId, origin.at];
      const movementId = (await insertRow(this.runner, openLedger, ledger))!;
      const event = { type: 'pet.created', at: origin.at, movementId, data } as const;
      await this.#events.append(workspaceId, [event]);
      return id;
    });
  }
}

/** Engines may return rows in any order. Rows with equal values are interchangeable. */
function inGivenOrder(pets: readonly Omit<PetRecord, 'id'>[], created: NewPetRow[]): number[] {
  const idsOf = new Map<string, number[]>();
  for (const [id, ...rest] of created.toSorted(([a], [b]) => b - a)) {
    const alike = JSON.stringify(rest);
    const ids = idsOf.get(alike);
    if (ids) ids.push(id);
    else idsOf.set(alike, [id]);
  }
  return pets.map(({ name, categoryId, stock: { quantity, held } }) => {
    return idsOf.get(JSON.stringify([name, categoryId, quantity, +held]))!.pop()!;
  });
}

function isMissingCategory(err: unknown): boolean {
  return err instanceof ConstraintViolation && err.kind === 'foreign_key';
}

function petOf([id, name, categoryId, quantity, reserved, held]: PetRow): PetRecord {
  const stock: Stock = { quantity, reserved, held: held === 1 };
  return { id, name, categoryId, stock };
}
