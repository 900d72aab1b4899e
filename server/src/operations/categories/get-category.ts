import { notFound } from '../../domain/errors.ts';
import { readOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { Category, exampleCategory } from '../schemas/category.ts';
import { record } from '../success.ts';
import { categoryView } from '../views/category.ts';

export const getCategory = readOperation({
  id: 'getCategory',
  method: 'GET',
  path: '/categories/{categoryId}',
  tag: 'categories',
  scope: 'read',
  summary: 'Get a category',
  cacheableUntil: 'workspaceWrites',
  params: { categoryId: pathId('ID of the category.') },
  success: record(Category, 'The category.'),
  example: exampleCategory,
  handle: async ({ caller, params }, store) => {
    const category = await store.categories.find(caller.workspaceId, params.categoryId);
    if (!category) throw notFound('category', params.categoryId);
    return categoryView(category);
  },
});
