import type { Transaction } from '../datastore/datastore.ts';
import {
  type Category,
  type CategoryPatch,
  type NewCategory,
  patchCategory,
} from '../domain/category.ts';
import { Refusal } from '../domain/errors.ts';
import type { Change, RecordChange } from './change.ts';

export async function createCategory(
  tx: Transaction,
  { caller, category }: Change & { category: NewCategory },
): Promise<Category> {
  const created = await tx.categories.create(caller.workspaceId, category);
  if (!created) throw new Refusal('category_name_taken');
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
    throw new Refusal('category_name_taken');
  }
  return after;
}

export async function deleteCategory(
  tx: Transaction,
  { caller, id, checkMatch }: RecordChange<Category>,
): Promise<void> {
  checkMatch(await getCategory(tx, caller.workspaceId, id));
  if (!(await tx.categories.delete(caller.workspaceId, id))) throw new Refusal('category_in_use');
}

/** The category, locked until the transaction ends. */
async function getCategory(tx: Transaction, workspaceId: number, id: number): Promise<Category> {
  const category = await tx.categories.findAndLock(workspaceId, id);
  if (!category) throw new Refusal('not_found');
  return category;
}
