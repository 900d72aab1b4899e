import sql, { join } from 'sql-template-tag';
import type { Category, NewCategory } from '../domain/category.ts';
import { foldCase, prefixSuccessor } from '../lib/text.ts';
import { Conflict, ConstraintViolation } from './failures.ts';
import { continueAfter, orderAndLimit, type Page, type PageRequest, pageOf } from './page.ts';
import {
  insertion,
  insertRow,
  lockingStatement,
  query,
  queryAndLock,
  Reader,
  statement,
} from './runner.ts';

type CategoryRow = readonly [id: number, name: string, description: string | null];

const FIND = 'SELECT id, name, description FROM categories WHERE id = $1 AND workspace_id = $2';
const find = statement<CategoryRow>(FIND);
const findAndLock = lockingStatement<CategoryRow>(FIND);
const insert = insertion(
  `INSERT INTO categories (workspace_id, name, name_key, description) VALUES ($1, $2, $3, $4)
   ON CONFLICT (workspace_id, name_key) DO NOTHING`,
);
const findByName = statement<readonly [id: number]>(
  'SELECT id FROM categories WHERE workspace_id = $1 AND name_key = $2',
);
const update = statement(
  'UPDATE categories SET name = $3, name_key = $4, description = $5 WHERE id = $1 AND workspace_id = $2',
);
const remove = statement(
  `DELETE FROM categories WHERE id = $1 AND workspace_id = $2
   AND NOT EXISTS (SELECT 1 FROM pets WHERE category_id = $1)`,
);

interface CategoryFilter {
  namePrefix?: string;
}

export class CategoryReader extends Reader {
  async find(workspaceId: number, id: number): Promise<Category | undefined> {
    const row = await this.runner.row(find, [id, workspaceId]);
    return row && categoryOf(row);
  }

  async list(workspaceId: number, filter: CategoryFilter, page: PageRequest) {
    const where = [
      sql`workspace_id = ${workspaceId}`,
      ...prefixConditions(filter.namePrefix),
      ...continueAfter(page),
    ];
    const rows = await query<CategoryRow>(
      this.runner,
      sql`SELECT id, name, description FROM categories
          WHERE ${join(where, ' AND ')} ${orderAndLimit(page)}`,
    );
    return pageOf(rows, page.limit, categoryOf) satisfies Page<Category>;
  }
}

export class CategoryWriter extends CategoryReader {
  async findAndLock(workspaceId: number, id: number): Promise<Category | undefined> {
    const row = await this.runner.row(findAndLock, [id, workspaceId]);
    return row && categoryOf(row);
  }

  /** Which of these the workspace has. They cannot be deleted until the transaction ends. */
  async lockKnown(workspaceId: number, ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const rows = await queryAndLock<readonly [id: number]>(
      this.runner,
      sql`SELECT id FROM categories
          WHERE workspace_id = ${workspaceId} AND id IN (${join(ids)}) ORDER BY id`,
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
    ]);
    return id === undefined ? undefined : { id, ...input };
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
    try {
      await this.runner.run(update, [id, workspaceId, name, foldCase(name), description ?? null]);
      return true;
    } catch (err) {
      if (err instanceof ConstraintViolation && err.kind === 'unique') return false;
      throw err;
    }
  }

  /** False when it has pets, including one that another node is adding right now. */
  async delete(workspaceId: number, id: number): Promise<boolean> {
    try {
      return (await this.runner.run(remove, [id, workspaceId])) === 1;
    } catch (err) {
      if (err instanceof ConstraintViolation && err.kind === 'foreign_key') return false;
      throw err;
    }
  }
}

/** A case-insensitive prefix as a range, so that an index serves it. */
export function prefixConditions(prefix: string | undefined) {
  if (prefix === undefined || prefix === '') return [];
  const from = foldCase(prefix);
  const to = prefixSuccessor(from);
  return [sql`name_key >= ${from}`, ...(to === undefined ? [] : [sql`name_key < ${to}`])];
}

function categoryOf([id, name, description]: CategoryRow): Category {
  return description === null ? { id, name } : { id, name, description };
}
