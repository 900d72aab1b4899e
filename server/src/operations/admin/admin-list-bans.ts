import { mapPage } from '../../datastore/list.ts';
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
  handle: async ({ page, now }, { limits }, { limiter }) =>
    mapPage(await limits.pageOfBansInForce(now, page), (ban) => banView(limiter.view(ban))),
});
