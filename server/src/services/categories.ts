import type { Transaction } from '../datastore/datastore.ts';
import type { Category, CategoryPatch, NewCategory } from '../domain/category.ts';
import { notFound, Refusal } from '../domain/errors.ts';
import { mergePatch } from '../domain/merge-patch.ts';
import type { Change, RecordChange } from './change.ts';
import { changedFields, emit } from './events/emit.ts';

export async function createCategory(
  tx: Transaction,
  { caller, category, now }: Change & { category: NewCategory },
): Promise<Category> {
  const created = await tx.categories.create(caller.workspaceId, category);
  if (!created) throw nameTaken(category.name);
  await emit(tx, { caller, now }, { type: 'category.created', data: { category: created } });
  return created;
}

/** The id of the category with this name, which is created if there is none. */
export async function findOrCreateCategory(
  tx: Transaction,
  { caller, name, now }: Change & { name: string },
): Promise<number> {
  const { id, isNew } = await tx.categories.findOrCreate(caller.workspaceId, name);
  const category = { id, name };
  if (isNew) await emit(tx, { caller, now }, { type: 'category.created', data: { category } });
  return id;
}

export async function updateCategory(
  tx: Transaction,
  { caller, id, patch, checkMatch, now }: RecordChange<Category> & { patch: CategoryPatch },
): Promise<Category> {
  const before = await lockCategory(tx, caller.workspaceId, id);
  checkMatch(before);
  const after = mergePatch(before, patch);
  const changed = changedFields(before, after, ['name', 'description']);
  if (!changed) return before;
  if (!(await tx.categories.update(caller.workspaceId, after))) {
    throw nameTaken(after.name);
  }
  const event = { type: 'category.updated', data: { category: after }, before: changed } as const;
  await emit(tx, { caller, now }, event);
  return after;
}

export async function deleteCategory(
  tx: Transaction,
  { caller, id, checkMatch, now }: RecordChange<Category>,
): Promise<void> {
  const category = await lockCategory(tx, caller.workspaceId, id);
  checkMatch(category);
  if (!(await tx.categories.delete(caller.workspaceId, id))) {
    throw new Refusal('category_in_use', {
      message: `Category ${id} still has pets. Move or delete them first; GET /v1/pets?categoryId=${id} lists them.`,
    });
  }
  await emit(tx, { caller, now }, { type: 'category.deleted', data: { category } });
}

function nameTaken(name: string): Refusal {
  return new Refusal('category_name_taken', {
    message: `A category named "${name}" exists already. Choose another name; names that differ only in case are the same.`,
  });
}

/** The category, locked until the transaction ends. */
async function lockCategory(tx: Transaction, workspaceId: number, id: number): Promise<Category> {
  const category = await tx.categories.findAndLock(workspaceId, id);
  if (!category) throw notFound('category', id);
  return category;
}
