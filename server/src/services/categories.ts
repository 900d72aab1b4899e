import type { Transaction } from '../datastore/datastore.ts';
import {
  type Category,
  type CategoryPatch,
  type NewCategory,
  patchCategory,
} from '../domain/category.ts';
import { Refusal } from '../domain/errors.ts';
import type { Caller } from '../domain/key.ts';
import type { CheckMatch } from './pets.ts';

export async function createCategory(tx: Transaction, caller: Caller, input: NewCategory) {
  const category = await tx.categories.create(caller.workspaceId, input);
  if (!category) throw new Refusal('category_name_taken');
  return category;
}

export async function updateCategory(
  tx: Transaction,
  caller: Caller,
  id: number,
  patch: CategoryPatch,
  checkMatch: CheckMatch<Category>,
): Promise<Category> {
  const before = await getCategory(tx, caller, id);
  checkMatch(before);
  const after = patchCategory(before, patch);
  if (!(await tx.categories.update(caller.workspaceId, after))) {
    throw new Refusal('category_name_taken');
  }
  return after;
}

export async function deleteCategory(
  tx: Transaction,
  caller: Caller,
  id: number,
  checkMatch: CheckMatch<Category>,
): Promise<void> {
  checkMatch(await getCategory(tx, caller, id));
  if (!(await tx.categories.delete(caller.workspaceId, id))) throw new Refusal('category_in_use');
}

async function getCategory(tx: Transaction, caller: Caller, id: number): Promise<Category> {
  const category = await tx.categories.findAndLock(caller.workspaceId, id);
  if (!category) throw new Refusal('not_found');
  return category;
}
