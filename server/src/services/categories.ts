import type { Transaction } from '../datastore/datastore.ts';
import {
  type Category,
  type CategoryPatch,
  type NewCategory,
  patchCategory,
} from '../domain/category.ts';
import { notFound, Refusal } from '../domain/errors.ts';
import type { Change, RecordChange } from './change.ts';

export async function createCategory(
  tx: Transaction,
  { caller, category }: Change & { category: NewCategory },
): Promise<Category> {
  const created = await tx.categories.create(caller.workspaceId, category);
  if (!created) throw nameTaken(category.name);
  return created;
}

export async function updateCategory(
  tx: Transaction,
  { caller, id, patch, checkMatch }: RecordChange<Category> & { patch: CategoryPatch },
): Promise<Category> {
  const before = await getCategory(tx, caller.workspaceId, id);
  checkMatch(before);
  const after = patchCategory(before, patch);
  if (!(await tx.categories.update(caller.workspaceId, after))) {
    throw nameTaken(after.name);
  }
  return after;
}

export async function deleteCategory(
  tx: Transaction,
  { caller, id, checkMatch }: RecordChange<Category>,
): Promise<void> {
  checkMatch(await getCategory(tx, caller.workspaceId, id));
  if (await tx.categories.delete(caller.workspaceId, id)) return;
  throw new Refusal('category_in_use', {
    message: `Category ${id} still has pets. Move or delete them first; GET /v1/pets?categoryId=${id} lists them.`,
  });
}

function nameTaken(name: string): Refusal {
  return new Refusal('category_name_taken', {
    message: `A category named "${name}" exists already. Choose another name; names that differ only in case are the same.`,
  });
}

/** The category, locked until the transaction ends. */
async function getCategory(tx: Transaction, workspaceId: number, id: number): Promise<Category> {
  const category = await tx.categories.findAndLock(workspaceId, id);
  if (!category) throw notFound('category', id);
  return category;
}
