import sql from 'sql-template-tag';
import { holes, type NewEvent } from '../domain/event.ts';
import type { PetRecord } from '../domain/pet.ts';
import { type PetStatus, petStatuses, type Stock } from '../domain/stock.ts';
import { foldCase } from '../lib/text.ts';
import { namedLike } from './categories.ts';
import { perEngine } from './dialect.ts';
import { arrivalOf } from './events.ts';
import { ConstraintViolation } from './failures.ts';
import { byId, list, listThese, type Page, type PageRequest } from './list.ts';
import {
  insertion,
  lockingStatement,
  Reader,
  type Row,
  type SingleStatement,
  statement,
  type Value,
} from './runner.ts';
import { WordIndex, wordList } from './search/words.ts';
import { eventPieces, textAround } from './stored-event.ts';
import { flag, json, jsonText, plain, Table } from './table.ts';

/** A pet as its row has it. */
type FlatPet = Omit<PetRecord, 'stock'> & Stock;

export const petTable = new Table<FlatPet>('pets', {
  key: ['workspace_id', 'id'],
  fields: {
    id: plain('id'),
    name: plain('name'),
    categoryId: plain('category_id'),
    quantity: plain('quantity'),
    reserved: plain('reserved'),
    held: flag('held'),
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
    metadata)
  SELECT id, workspace_id, $3, $4, CAST($5 AS BIGINT), 0, CAST($6 AS BIGINT), CAST($7 AS BIGINT),
    CAST($7 AS BIGINT), $8, $9
  FROM categories WHERE id = $1 AND workspace_id = $2`;
const insert = insertion(INSERT);
// PostgreSQL does all steps in one round trip.
const createInOne = perEngine(
  (dialect): SingleStatement => ({
    ctes: (condition) => `pet AS (${INSERT}${condition} RETURNING id), words AS (
    ${petWords.insertion(dialect, { from: 'pet', words: 8 })}
  ), result AS (
    INSERT INTO movements (workspace_id, pet_id, cause, quantity_before, quantity_after,
      reserved_before, reserved_after, key_id, at)
    SELECT $2, id, 'created', 0, CAST($5 AS BIGINT), 0, 0, $10, CAST($7 AS BIGINT) FROM pet
    RETURNING id, pet_id
  ), emitted AS (${arrivalOf('pet.created', {
    text: textAround(11, ['CAST(result.pet_id AS TEXT)', 'CAST(result.pet_id AS TEXT)']),
    at: '$7',
    from: 'FROM result',
  })})`,
    column: 'pet_id',
  }),
);
const update = statement(
  `UPDATE pets SET name = $3, name_key = $4, category_id = $5, words = $6, metadata = $7
   WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL`,
);
const hide = statement(
  `UPDATE pets SET deleted_at = $3, category_id = NULL
   WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL AND reserved = 0`,
);

export type NewPetRecord = Omit<PetRecord, 'id'>;

/** Filters of the lists of pets and of their stock. */
export interface PetFilter {
  status?: PetStatus;
  categoryId?: number;
  namePrefix?: string;
  /** Each starts a word of the name. */
  words?: readonly string[];
  availableBelow?: number;
}

export class PetReader extends Reader {
  async find(workspaceId: number, id: number): Promise<PetRecord | undefined> {
    const row = await this.runner.row(find, [id, workspaceId]);
    return row && petOf(row);
  }

  list(
    workspaceId: number,
    { ids, ...filter }: PetFilter & { ids?: readonly number[] },
    page: PageRequest<'id' | 'name'>,
  ): Promise<Page<PetRecord>> {
    const path = petPath(workspaceId, filter, page.sort);
    const pets = { ...path, table: 'pets', columns: petTable.columns, itemOf: petOf };
    if (ids) return listThese(this.runner, [...new Set(ids)], pets, page);
    return list(this.runner, pets, page);
  }
}

export class PetWriter extends PetReader {
  async findAndLock(workspaceId: number, id: number): Promise<PetRecord | undefined> {
    const row = await this.runner.row(findAndLock, [id, workspaceId]);
    return row && petOf(row);
  }

  /**
   * Writes a new pet, the first row of its ledger and its event: in one statement where the engine can, in steps otherwise.
   * Undefined when the workspace has no such category.
   */
  async create(
    workspaceId: number,
    pet: NewPetRecord,
    origin: { keyId: string; at: number; traceparent?: string | undefined },
    steps: () => Promise<number | undefined>,
  ): Promise<number | undefined> {
    const event = petCreated({ id: holes.id as never, ...pet }, origin);
    const [categoryId, ...rest] = insertValues(workspaceId, pet, origin.at);
    const values = [...rest, origin.keyId, ...eventPieces(event)];
    try {
      return await this.runner.commitSingle(
        createInOne(this.runner),
        [categoryId, ...values],
        steps,
      );
    } catch (err) {
      if (isMissingCategory(err)) return undefined;
      throw err;
    }
  }

  /** The ids of new pets, in the order in which they are given; undefined where there is no such category. */
  async insert(
    workspaceId: number,
    pets: readonly NewPetRecord[],
    at: number,
  ): Promise<(number | undefined)[]> {
    const rows = pets.map((pet) => insertValues(workspaceId, pet, at));
    const ids = (await this.runner.rowEach(insert, rows)).map((row) => row?.[0]);
    const known = ids.filter((id) => id !== undefined);
    await petWords.add(this.runner, workspaceId, known);
    return ids;
  }

  /** All but its stock, which changes through its ledger. False when there is no such category. */
  async update(workspaceId: number, pet: PetRecord): Promise<boolean> {
    const { id, name, categoryId, metadata } = pet;
    try {
      await petWords.remove(this.runner, workspaceId, id);
      const values = [id, workspaceId, name, foldCase(name), categoryId, wordList(name)];
      await this.runner.run(update, [...values, jsonText(metadata)]);
      await petWords.add(this.runner, workspaceId, [id]);
      return true;
    } catch (err) {
      if (isMissingCategory(err)) return false;
      throw err;
    }
  }

  /** False when it has open orders. */
  async hide(workspaceId: number, id: number, at: number): Promise<boolean> {
    await petWords.remove(this.runner, workspaceId, id);
    return (await this.runner.run(hide, [id, workspaceId, at])) === 1;
  }
}

/** The path of a list of pets that are not deleted, or of their stock. */
export function petPath(workspaceId: number, filter: PetFilter, sort: string) {
  const { status, categoryId, availableBelow, namePrefix, words = [] } = filter;
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
export function petCreated(pet: PetRecord, { keyId, at }: { keyId: string; at: number }): NewEvent {
  const inventory = { petId: pet.id, stock: pet.stock };
  return { type: 'pet.created', at, keyId, data: { pet, inventory } };
}

function insertValues(
  workspaceId: number,
  { name, categoryId, stock, metadata }: NewPetRecord,
  at: number,
): [number, ...Value[]] {
  const { quantity, held } = stock;
  const texts = [wordList(name), jsonText(metadata)];
  return [categoryId, workspaceId, name, foldCase(name), quantity, +held, at, ...texts];
}

function isMissingCategory(err: unknown): boolean {
  return err instanceof ConstraintViolation && err.kind === 'foreign_key';
}

function petOf(row: Row): PetRecord {
  const { quantity, reserved, held, ...pet } = petTable.recordOf(row);
  return { ...pet, stock: { quantity, reserved, held } };
}
