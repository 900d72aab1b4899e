import type { NodeRecord } from '../../datastore/cluster/nodes.ts';
import { formatInstant } from '../../lib/instant.ts';

export function nodeView(node: NodeRecord) {
  const { id, version, state, limiter, clockSkewMs, requestsPerMinute, memoryBytes } = node;
  return {
    id,
    version,
    state,
    limiter,
    ...(clockSkewMs === undefined ? {} : { clockSkewSeconds: clockSkewMs / 1000 }),
    requestsPerSecond: Math.round(requestsPerMinute / 0.6) / 100,
    memoryBytes,
    startedAt: formatInstant(node.startedAt),
    seenAt: formatInstant(node.seenAt),
  };
}
