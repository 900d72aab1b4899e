import { invalidCursor } from '../../datastore/list.ts';
import { readOperation } from '../operation.ts';
import { Ban, exampleBan } from '../schemas/ban.ts';
import { listOf } from '../success.ts';
import { banView } from '../views/ban.ts';

export const adminListBans = readOperation({
  id: 'adminListBans',
  method: 'GET',
  path: '/admin/bans',
  tag: 'admin',
  scope: 'operate',
  summary: 'List the bans in force',
  description:
    'The keys that are banned now, in all workspaces. A ban ends at `until`; `DELETE /admin/bans/{keyId}` ends it earlier.',
  list: { sorts: ['id'] },
  success: listOf(Ban, 'The bans, by key, one page at a time.'),
  example: [exampleBan],
  handle: async ({ page }, _, { limiter }) => {
    if (page.after && typeof page.after[0] !== 'string') throw invalidCursor();
    const direction = page.sort === 'id' ? 1 : -1;
    const bans = (await limiter.bans())
      .sort((a, b) => (a.keyId < b.keyId ? -direction : direction))
      .filter(({ keyId }) => {
        const last = page.after?.[0];
        return last === undefined || (direction === 1 ? keyId > last : keyId < last);
      });
    const items = bans.slice(0, page.limit).map(banView);
    if (bans.length <= page.limit) return { items, hasMore: false };
    return { items, hasMore: true, end: [items.at(-1)!.keyId] };
  },
});
