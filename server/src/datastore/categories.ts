import sql, { join } from 'sql-template-tag';
import type { Category, NewCategory } from '../domain/category.ts';
import { foldCase, prefixSuccessor } from '../lib/text.ts';
import { Conflict, ConstraintViolation } from './failures.ts';
import { type Among, byId, list, type Page, type PageRequest } from './list.ts';
import {
  insertion,
  insertRow,
  lockingStatement,
  queryAndLock,
  Reader,
  type Row,
  statement,
} from './runner.ts';
import { WordIndex, wordList } from './search/words.ts';
import { optional, plain, Table } from './table.ts';

export const categoryTable = new Table<Category>('categories', {
  key: ['workspace_id', 'id'],
  fields: { id: plain('id'), name: plain('name'), description: optional('description') },
  hidden: ['name_key', 'words'],
});

export const categoryWords = new WordIndex({
  table: 'categories',
  index: 'category_words',
  column: 'words',
});
const FIND = `SELECT ${categoryTable.columns} FROM categories WHERE id = $1 AND workspace_id = $2`;
const find = statement<Row>(FIND);
const findAndLock = lockingStatement<Row>(FIND);
const insert = insertion(
  `INSERT INTO categories (workspace_id, name, name_key, description, words) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (workspace_id, name_key) DO NOTHING`,
);
const findByName = statement<readonly [id: number]>(
  'SELECT id FROM categories WHERE workspace_id = $1 AND name_key = $2',
);
const update = statement(
  `UPDATE categories SET name = $3, name_key = $4, description = $5, words = $6
   WHERE id = $1 AND workspace_id = $2`,
);
// Only pets that are not deleted have a category. The order is that of pets_by_category, whatever the statistics say.
const remove = statement(
  `DELETE FROM categories WHERE id = $1 AND workspace_id = $2
   AND NOT EXISTS (SELECT 1 FROM (
     SELECT category_id FROM pets WHERE workspace_id = $2 AND category_id >= $1
     ORDER BY category_id, id LIMIT 1
   ) AS next WHERE category_id = $1)`,
);

interface CategoryFilter {
  namePrefix?: string | undefined;
  /** Each starts a word of the name. */
  words?: readonly string[] | undefined;
}

export class CategoryReader extends Reader {
  async find(workspaceId: number, id: number): Promise<Category | undefined> {
    const row = await this.runner.row(find, [id, workspaceId]);
    return row && categoryTable.recordOf(row);
  }

  list(
    workspaceId: number,
    { namePrefix, words = [] }: CategoryFilter,
    page: PageRequest,
  ): Promise<Page<Category>> {
    const { name: table, columns } = categoryTable;
    const where = sql`workspace_id = ${workspaceId}`;
    const among = [...namedLike(namePrefix), ...categoryWords.startingWith(workspaceId, words)];
    const itemOf = (row: Row) => categoryTable.recordOf(row);
    const rows = { table, columns, itemOf, workspaceId, where };
    return list(this.runner, { ...rows, order: byId, among }, page);
  }
}

export class CategoryWriter extends CategoryReader {
  async findAndLock(workspaceId: number, id: number): Promise<Category | undefined> {
    const row = await this.runner.row(findAndLock, [id, workspaceId]);
    return row && categoryTable.recordOf(row);
  }

  /** Which of these the workspace has. They cannot be deleted until the transaction ends. */
  async lockKnown(workspaceId: number, ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const rows = await queryAndLock<readonly [id: number]>(
      this.runner,
      sql`SELECT id FROM categories
          WHERE workspace_id = ${workspaceId} AND id IN (${join(ids)}) ORDER BY +id`,
    );
    return new Set(rows.map(([id]) => id));
  }

  /** Undefined when the name is taken. */
  async create(workspaceId: number, input: NewCategory): Promise<Category | undefined> {
    const id = await insertRow(this.runner, insert, [
      workspaceId,
      input.name,
      foldCase(input.name),
      input.description ?? null,
      wordList(input.name),
    ]);
    if (id === undefined) return undefined;
    await categoryWords.add(this.runner, workspaceId, [id]);
    return { id, ...input };
  }

  async findOrCreate(workspaceId: number, name: string): Promise<{ id: number; isNew: boolean }> {
    const created = await this.create(workspaceId, { name });
    if (created) return { id: created.id, isNew: true };
    const row = await this.runner.row(findByName, [workspaceId, foldCase(name)]);
    if (!row) throw new Conflict('the category was deleted between insertion and read');
    return { id: row[0], isNew: false };
  }

  /** False when the name is taken. */
  async update(workspaceId: number, category: Category): Promise<boolean> {
    const { id, name, description } = category;
    const values = [id, workspaceId, name, foldCase(name), description ?? null, wordList(name)];
    try {
      await categoryWords.remove(this.runner, workspaceId, [id]);
      await this.runner.run(update, values);
      await categoryWords.add(this.runner, workspaceId, [id]);
      return true;
    } catch (err) {
      if (err instanceof ConstraintViolation && err.kind === 'unique') return false;
      throw err;
    }
  }

  /** False when it has pets, including one that another node is adding right now. */
  async delete(workspaceId: number, id: number): Promise<boolean> {
    try {
      await categoryWords.remove(this.runner, workspaceId, [id]);
      return (await this.runner.run(remove, [id, workspaceId])) === 1;
    } catch (err) {
      if (err instanceof ConstraintViolation && err.kind === 'foreign_key') return false;
      throw err;
    }
  }
}

/** A case-insensitive prefix of the name, which an index on `name_key` serves. */
export function namedLike(prefix: string | undefined): Among[] {
  if (prefix === undefined || prefix === '') return [];
  const from = foldCase(prefix);
  const to = prefixSuccessor(from);
  const where = [sql`name_key >= ${from}`, ...(to === undefined ? [] : [sql`name_key < ${to}`])];
  return [{ where, index: 'name_key, id' }];
}
