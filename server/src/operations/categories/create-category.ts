import { createCategory as create } from '../../services/categories.ts';
import { writeOperation } from '../operation.ts';
import { Category, exampleCategory, NewCategory } from '../schemas/category.ts';
import { created } from '../success.ts';
import { categoryView } from '../views/category.ts';

export const createCategory = writeOperation({
  id: 'createCategory',
  method: 'POST',
  path: '/categories',
  tag: 'categories',
  scope: 'write',
  summary: 'Create a category',
  description: 'Names are unique in a workspace, case-insensitively.',
  body: NewCategory,
  requestExample: { name: 'Dogs', description: 'Loyal, loud, always hungry.' },
  events: ['category.created'],
  success: created(Category, 'The category that was created.', ({ id }) => `/categories/${id}`),
  errors: ['category_name_taken'],
  example: exampleCategory,
  handle: async ({ caller, body, now }, tx) =>
    categoryView(await create(tx, { caller, category: body, now })),
});
