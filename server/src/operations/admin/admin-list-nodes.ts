import { type NodeRecord, nodeStates } from '../../datastore/cluster/nodes.ts';
import { mapPage } from '../../datastore/list.ts';
import { formatInstant } from '../../lib/instant.ts';
import { readOperation } from '../operation.ts';
import { choice, count, INTEGER_MAX, instant, object } from '../schemas/fields.ts';
import { Type } from '../schemas/type.ts';
import { listOf } from '../success.ts';

const number = (description: string) => Type.Unsafe<number>({ type: 'number', description });

const Node = object('Node', {
  id: Type.String({ description: 'The process; a restart gives it another id.' }),
  version: Type.String({ description: 'The version of the service.' }),
  state: choice(
    nodeStates,
    '`ready`; `unavailable` while it answers 503 on /readyz; `stopping`; `lost` if it was not seen for 15 s. A lost node is listed for a day.',
  ),
  limiter: choice(
    ['shared', 'alone'],
    '`alone`: no other node counts where it does, or its Valkey is out of reach.',
  ),
  clockSkewSeconds: Type.Optional(
    number(
      "How far its clock is ahead of the database's; absent with SQLite, and until they were first compared.",
    ),
  ),
  requestsPerSecond: number('In the last five seconds.'),
  memoryBytes: count('The resident memory of the process.', 0, INTEGER_MAX),
  startedAt: instant('When it started.'),
  seenAt: instant('When it last reported.'),
});

const exampleNode = {
  id: '0b6f6c52-8f0e-4d6f-9a52-3f1f2c7f8f11',
  version: '1.0.0',
  state: 'ready' as const,
  limiter: 'shared' as const,
  clockSkewSeconds: 0.012,
  requestsPerSecond: 41.5,
  memoryBytes: 104857600,
  startedAt: '2026-11-15T09:00:00Z',
  seenAt: '2026-11-15T09:30:05Z',
};

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

function nodeView(node: NodeRecord) {
  const { id, version, state, limiter, clockSkewMs, requestsPerMinute, memoryBytes } = node;
  return {
    id,
    version,
    state,
    limiter,
    clockSkewSeconds: clockSkewMs === undefined ? undefined : clockSkewMs / 1000,
    requestsPerSecond: Math.round(requestsPerMinute / 0.6) / 100,
    memoryBytes,
    startedAt: formatInstant(node.startedAt),
    seenAt: formatInstant(node.seenAt),
  };
}
