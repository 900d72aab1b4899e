import { mapPage } from '../../datastore/list.ts';
import { readOperation } from '../operation.ts';
import { exampleNode, Node } from '../schemas/node.ts';
import { listOf } from '../success.ts';
import { nodeView } from '../views/node.ts';

export const adminListNodes = readOperation({
  id: 'adminListNodes',
  method: 'GET',
  path: '/admin/nodes',
  tag: 'admin',
  scope: 'operate',
  summary: 'List the nodes of the service',
  description:
    'Each process that serves from this database, as it last reported; nodes report every five seconds. A node that was killed is `lost`, and listed for a day.',
  list: { sorts: ['id'] },
  success: listOf(Node, 'The nodes, one page at a time.'),
  example: [exampleNode],
  handle: async ({ page }, _, { nodes }) => mapPage(await nodes.list(page), nodeView),
});
