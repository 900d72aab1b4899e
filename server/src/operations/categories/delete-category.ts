import { deleteCategory as remove } from '../../services/categories.ts';
import { writeOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { empty } from '../success.ts';
import { categoryView } from '../views/category.ts';

export const deleteCategory = writeOperation({
  id: 'deleteCategory',
  method: 'DELETE',
  path: '/categories/{categoryId}',
  tag: 'categories',
  scope: 'write',
  summary: 'Delete a category',
  description: 'It must have no pets.',
  params: { categoryId: pathId('ID of the category.') },
  isConditional: true,
  events: ['category.deleted'],
  success: empty('The category is deleted.'),
  errors: ['category_in_use'],
  handle: ({ caller, params, checkMatch, now }, tx) =>
    remove(tx, {
      caller,
      id: params.categoryId,
      checkMatch: (current) => checkMatch(categoryView(current)),
      now,
    }),
});
