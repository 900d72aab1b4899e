import { mapPage } from '../../datastore/list.ts';
import { readOperation } from '../operation.ts';
import { text, words } from '../parameters.ts';
import { Category, exampleCategory } from '../schemas/category.ts';
import { listOf } from '../success.ts';
import { categoryView } from '../views/category.ts';

export const listCategories = readOperation({
  id: 'listCategories',
  method: 'GET',
  path: '/categories',
  tag: 'categories',
  scope: 'read',
  summary: 'List categories',
  cacheableUntil: 'workspaceWrites',
  query: {
    name: text('Only categories whose name starts with this, case-insensitively.', 200),
    q: words('Only categories with these words in their name.'),
  },
  list: { sorts: ['id'] },
  success: listOf(Category, 'The categories, one page at a time.'),
  example: [exampleCategory],
  handle: async ({ caller, query, page }, store) => {
    const filter = { namePrefix: query.name, words: query.q };
    return mapPage(await store.categories.list(caller.workspaceId, filter, page), categoryView);
  },
});
