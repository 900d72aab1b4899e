import { updateCategory as update } from '../../services/categories.ts';
import { writeOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { Category, CategoryPatch, exampleCategory } from '../schemas/category.ts';
import { record } from '../success.ts';
import { categoryView } from '../views/category.ts';

export const updateCategory = writeOperation({
  id: 'updateCategory',
  method: 'PATCH',
  path: '/categories/{categoryId}',
  tag: 'categories',
  scope: 'write',
  summary: 'Update a category',
  description: 'A merge patch; null clears the description.',
  params: { categoryId: pathId('ID of the category.') },
  body: CategoryPatch,
  requestExample: { description: 'Loyal, loud, always hungry.' },
  isConditional: true,
  events: ['category.updated'],
  success: record(Category, 'The category as it is now.'),
  errors: ['category_name_taken'],
  example: exampleCategory,
  handle: async ({ caller, params, body, checkMatch, now }, tx) => {
    const category = await update(tx, {
      caller,
      id: params.categoryId,
      patch: body,
      checkMatch: (current) => checkMatch(categoryView(current)),
      now,
    });
    return categoryView(category);
  },
});
