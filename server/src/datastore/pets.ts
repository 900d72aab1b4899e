import sql, { join, raw, type Sql } from 'sql-template-tag';
import { holes, type NewEvent } from '../domain/event.ts';
import type { PetRecord } from '../domain/pet.ts';
import { type PetStatus, petStatuses, type Stock } from '../domain/stock.ts';
import { foldCase } from '../lib/text.ts';
import { namedLike } from './categories.ts';
import { type Dialect, perEngine } from './dialect.ts';
import { arrivalOf } from './events.ts';
import { Conflict, ConstraintViolation } from './failures.ts';
import { byId, list, listThese, type Page, type PageRequest } from './list.ts';
import {
  insertion,
  lockingStatement,
  query,
  queryAndLock,
  Reader,
  type Row,
  type SingleChange,
  type SingleStatement,
  statement,
  type Value,
} from './runner.ts';
import { WordIndex, wordList } from './search/words.ts';
import { eventPieces, textAround } from './stored-event.ts';
import { flag, json, jsonText, optional, plain, Table } from './table.ts';

/** A pet as its row has it. */
type FlatPet = Omit<PetRecord, 'stock'> & Stock;

/** The columns of its stock. */
export const stockFields = {
  quantity: plain('quantity'),
  reserved: plain('reserved'),
  held: flag('held'),
  lowStockAt: optional('low_stock_at'),
};

export const petTable = new Table<FlatPet>('pets', {
  key: ['workspace_id', 'id'],
  fields: {
    id: plain('id'),
    name: plain('name'),
    categoryId: plain('category_id'),
    ...stockFields,
    reference: optional('reference'),
    metadata: json('metadata'),
  },
  hidden: ['name_key', 'words', 'created_at', 'moved_at', 'deleted_at'],
});

export const petWords = new WordIndex({ table: 'pets', index: 'pet_words', column: 'words' });
const FIND = `SELECT ${petTable.columns} FROM pets
  WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL`;
const find = statement<Row>(FIND);
const findAndLock = lockingStatement<Row>(FIND, 'pets');
const INSERT = `INSERT INTO pets
    (category_id, workspace_id, name, name_key, quantity, reserved, held, created_at, moved_at, words,
    metadata, reference, low_stock_at)
  SELECT id, workspace_id, $3, $4, CAST($5 AS BIGINT), 0, CAST($6 AS BIGINT), CAST($7 AS BIGINT),
    CAST($7 AS BIGINT), $8, $9, $10, CAST($11 AS BIGINT)
  FROM categories WHERE id = $1 AND workspace_id = $2`;
// A reference that another pet has leaves the new pet out.
const UNLESS_TAKEN = ` ON CONFLICT (workspace_id, reference)
  WHERE deleted_at IS NULL AND reference IS NOT NULL DO NOTHING`;
const insert = { plain: insertion(INSERT), referenced: insertion(INSERT + UNLESS_TAKEN) };
// PostgreSQL does all steps in one round trip.
const inOne = (unlessTaken: string, dialect: Dialect): SingleStatement => ({
  ctes: (condition) => `pet AS (${INSERT}${condition}${unlessTaken} RETURNING id), words AS (
    ${petWords.insertion(dialect, { from: 'pet', words: 8 })}
  ), result AS (
    INSERT INTO movements (workspace_id, pet_id, cause, quantity_before, quantity_after,
      reserved_before, reserved_after, key_id, at)
    SELECT $2, id, 'created', 0, CAST($5 AS BIGINT), 0, 0, $12, CAST($7 AS BIGINT) FROM pet
    RETURNING id, pet_id
  ), emitted AS (${arrivalOf({
    text: textAround(14, ['CAST(result.pet_id AS TEXT)', 'CAST(result.pet_id AS TEXT)']),
    at: '$7',
    trace: '$13',
    from: 'FROM result',
  })})`,
  column: 'pet_id',
});
const createInOne = perEngine((dialect) => ({
  plain: inOne('', dialect),
  referenced: inOne(UNLESS_TAKEN, dialect),
}));
const update = statement(
  `UPDATE pets SET name = $3, name_key = $4, category_id = $5, words = $6, metadata = $7,
     reference = $8, low_stock_at = $9
   WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL`,
);
const hide = statement(
  `UPDATE pets SET deleted_at = $3, category_id = NULL
   WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL AND reserved = 0`,
);

export type NewPetRecord = Omit<PetRecord, 'id'>;

/** A pet before and after a change. */
export interface PetChange {
  before: PetRecord;
  after: PetRecord;
}

/** Filters of the lists of pets and of their stock. */
export interface PetFilter {
  status?: PetStatus | undefined;
  categoryId?: number | undefined;
  namePrefix?: string | undefined;
  /** Each starts a word of the name. */
  words?: readonly string[] | undefined;
  availableBelow?: number | undefined;
  /** Whether the available units are at the threshold or below; `lowStockAt` is that of pets without one. */
  low?: { isLow: boolean; lowStockAt: number };
}

/** Pets that a request names. */
interface Named {
  ids?: readonly number[] | undefined;
  references?: readonly string[] | undefined;
}

export class PetReader extends Reader {
  async find(workspaceId: number, id: number): Promise<PetRecord | undefined> {
    const row = await this.runner.row(find, [id, workspaceId]);
    return row && petOf(row);
  }

  async list(
    workspaceId: number,
    { ids, references, ...filter }: PetFilter & Named,
    page: PageRequest<'id' | 'name'>,
  ): Promise<Page<PetRecord>> {
    const path = petPath(workspaceId, filter, page.sort);
    const pets = { ...path, table: 'pets', columns: petTable.columns, itemOf: petOf };
    if (references) {
      const filters = [...pets.filters, sql`reference IN (${join(references)})`];
      const found = await this.findByReferences(workspaceId, references);
      const these = found.map(({ id }) => id).filter((id) => !ids || ids.includes(id));
      return listThese(this.runner, these, { ...pets, filters }, page);
    }
    if (ids) return listThese(this.runner, [...new Set(ids)], pets, page);
    return list(this.runner, pets, page);
  }

  /** Those of the pets with these references that exist, by their id. */
  async findByReferences(workspaceId: number, references: readonly string[]): Promise<PetRecord[]> {
    if (references.length === 0) return [];
    const rows = await query<Row>(this.runner, byReferences(workspaceId, references), workspaceId);
    return rows.map(petOf);
  }
}

export class PetWriter extends PetReader {
  async findAndLock(workspaceId: number, id: number): Promise<PetRecord | undefined> {
    const row = await this.runner.row(findAndLock, [id, workspaceId]);
    return row && petOf(row);
  }

  /** Those of the pets with these references that exist, by their id, locked until the transaction ends. */
  async lockByReferences(workspaceId: number, references: readonly string[]): Promise<PetRecord[]> {
    if (references.length === 0) return [];
    return (await queryAndLock<Row>(this.runner, byReferences(workspaceId, references))).map(petOf);
  }

  /**
   * Writes a new pet, the first row of its ledger and its event: in one statement where the engine can, in steps otherwise.
   * Undefined when the workspace has no such category, or another pet with its reference.
   */
  async create(
    workspaceId: number,
    pet: NewPetRecord,
    by: { keyId: string; at: number; traceparent?: string | undefined },
    steps: () => Promise<number | undefined>,
  ): Promise<number | undefined> {
    const change: SingleChange = () => {
      const event = eventPieces(petCreated({ id: holes.id as never, ...pet }, by));
      const single = createInOne(this.runner)[pet.reference === undefined ? 'plain' : 'referenced'];
      const origin = [by.keyId, by.traceparent ?? null];
      return [single, [...insertValues(workspaceId, pet, by.at), ...origin, ...event]];
    };
    try {
      return await this.runner.commitSingle(change, steps);
    } catch (err) {
      if (isMissingCategory(err)) return undefined;
      throw err;
    }
  }

  /**
   * The ids of new pets, in the order in which they are given; undefined where there is no such category, or another pet
   * has the reference.
   */
  async insert(
    workspaceId: number,
    pets: readonly NewPetRecord[],
    at: number,
  ): Promise<(number | undefined)[]> {
    const rows = pets.map((pet) => insertValues(workspaceId, pet, at));
    const hasReference = pets.some(({ reference }) => reference !== undefined);
    const chosen = insert[hasReference ? 'referenced' : 'plain'];
    const ids = (await this.runner.rowEach(chosen, rows)).map((row) => row?.[0]);
    const known = ids.filter((id) => id !== undefined);
    await petWords.add(this.runner, workspaceId, known);
    return ids;
  }

  /** Writes all but their stock, which changes through its ledger. False when there is no such category. */
  async update(workspaceId: number, changes: readonly PetChange[]): Promise<boolean> {
    const renamed = changes.filter(({ before, after }) => after.name !== before.name);
    const ids = renamed.map(({ after }) => after.id);
    try {
      await petWords.remove(this.runner, workspaceId, ids);
      const rows = changes.map(({ after }) => updateValues(workspaceId, after));
      await this.runner.runEach(update, rows);
      await petWords.add(this.runner, workspaceId, ids);
      return true;
    } catch (err) {
      if (isMissingCategory(err)) return false;
      // The reference was free when the service looked.
      if (err instanceof ConstraintViolation && err.kind === 'unique') {
        throw new Conflict('another pet got the reference', { cause: err });
      }
      throw err;
    }
  }

  /** False when it has open orders. */
  async hide(workspaceId: number, id: number, at: number): Promise<boolean> {
    await petWords.remove(this.runner, workspaceId, [id]);
    return (await this.runner.run(hide, [id, workspaceId, at])) === 1;
  }
}

/** The path of a list of pets that are not deleted, or of their stock. */
export function petPath(workspaceId: number, filter: PetFilter, sort: string) {
  const { status, categoryId, availableBelow, namePrefix, words = [], low } = filter;
  const isByName = sort.endsWith('name');
  const columns = [
    ...(categoryId === undefined ? [] : [{ column: 'category_id', value: categoryId }]),
    ...(status === undefined ? [] : [{ column: 'status', value: petStatuses.indexOf(status) }]),
  ];
  const along = isByName ? undefined : columns.shift();
  const filters = columns.map(({ column, value }) =>
    column === 'status' ? sql`status = ${value}` : sql`category_id = ${value}`,
  );
  if (availableBelow !== undefined) filters.push(sql`quantity - reserved < ${availableBelow}`);
  if (low) {
    const left = sql`quantity - reserved - COALESCE(low_stock_at, CAST(${low.lowStockAt} AS BIGINT))`;
    filters.push(low.isLow ? sql`${left} <= 0` : sql`${left} > 0`);
  }
  return {
    workspaceId,
    where: sql`workspace_id = ${workspaceId} AND deleted_at IS NULL`,
    along,
    order: isByName ? byName : byId,
    filters,
    among: [...namedLike(namePrefix), ...petWords.startingWith(workspaceId, words)],
  };
}

const byName = [{ name: 'name', type: 'string' } as const, ...byId];

/** The event of a new pet. */
function petCreated(pet: PetRecord, { keyId, at }: { keyId: string; at: number }): NewEvent {
  const inventory = { petId: pet.id, stock: pet.stock };
  return { type: 'pet.created', at, keyId, data: { pet, inventory } };
}

function insertValues(workspaceId: number, pet: NewPetRecord, at: number): [number, ...Value[]] {
  const { name, categoryId, stock } = pet;
  const counts = [stock.quantity, +stock.held];
  return [categoryId, workspaceId, name, foldCase(name), ...counts, at, ...otherValues(pet)];
}

function updateValues(workspaceId: number, pet: PetRecord): Value[] {
  const { id, name, categoryId } = pet;
  return [id, workspaceId, name, foldCase(name), categoryId, ...otherValues(pet)];
}

function otherValues({ name, stock, reference, metadata }: NewPetRecord): Value[] {
  return [wordList(name), jsonText(metadata), reference ?? null, stock.lowStockAt ?? null];
}

/** In the order of their ids, so that no two transactions that lock some of them deadlock. `stock.ts` says why `+id`. */
function byReferences(workspaceId: number, references: readonly string[]): Sql {
  return sql`SELECT ${raw(petTable.columns.join(', '))} FROM pets
    WHERE workspace_id = ${workspaceId} AND deleted_at IS NULL
    AND reference IN (${join(references)}) ORDER BY +id`;
}

function isMissingCategory(err: unknown): boolean {
  return err instanceof ConstraintViolation && err.kind === 'foreign_key';
}

function petOf(row: Row): PetRecord {
  const { quantity, reserved, held, lowStockAt, ...pet } = petTable.recordOf(row);
  const threshold = lowStockAt === undefined ? {} : { lowStockAt };
  return { ...pet, stock: { quantity, reserved, held, ...threshold } };
}
