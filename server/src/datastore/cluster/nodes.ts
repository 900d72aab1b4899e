import sql from 'sql-template-tag';
import { list, type Page, type PageRequest } from '../list.ts';
import { DELETED_MAX, Reader, statement } from '../runner.ts';

/** A node that was not seen for this time is lost. */
export const NODE_ALIVE_MS = 15_000;

/** `unavailable`: it answers 503 on /readyz. `lost`: it was not seen lately and did not say that it stops. */
export const nodeStates = ['ready', 'unavailable', 'stopping', 'lost'] as const;

/** What a node says of itself every few seconds. */
export interface NodeReport {
  version: string;
  state: (typeof nodeStates)[number];
  /** Whether it applies limits together with the other nodes. */
  limiter: 'shared' | 'alone';
  /** How far its clock is ahead of the database's; absent where the database has none of its own. */
  clockSkewMs?: number | undefined;
  /** Since the report before. */
  requestsPerMinute: number;
  /** Resident. */
  memoryBytes: number;
}

export interface NodeRecord extends NodeReport {
  /** Another for every process. */
  id: string;
  startedAt: number;
  seenAt: number;
}

type NodeRow = readonly [
  id: string,
  startedAt: number,
  seenAt: number,
  version: string,
  state: NodeRecord['state'],
  limiter: NodeRecord['limiter'],
  clockSkewMs: number,
  requestsPerMinute: number,
  memoryBytes: number,
];

const save = statement(
  `INSERT INTO nodes (id, started_at, seen_at, version, state, limiter, clock_skew_ms, requests_per_minute, memory_bytes)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   ON CONFLICT (id) DO UPDATE SET seen_at = $3, version = $4, state = $5, limiter = $6, clock_skew_ms = $7,
     requests_per_minute = $8, memory_bytes = $9`,
);
const countOthers = statement<readonly [count: number]>(
  'SELECT COUNT(*) FROM nodes WHERE id <> $1 AND seen_at > $2',
);
const deleteOne = statement('DELETE FROM nodes WHERE id = $1');
const deleteGone = statement(
  `DELETE FROM nodes WHERE id IN (SELECT id FROM nodes WHERE seen_at <= $1 LIMIT ${DELETED_MAX})`,
);
const COLUMNS = [
  ...['id', 'started_at', 'seen_at', 'version', 'state', 'limiter'],
  ...['clock_skew_ms', 'requests_per_minute', 'memory_bytes'],
];

/** The nodes that serve from this database. */
export class NodeReader extends Reader {
  /** How many other nodes were seen after this instant. */
  async countOthers(id: string, since: number): Promise<number> {
    return (await this.runner.row(countOthers, [id, since]))![0];
  }

  /** All nodes. Those that were not seen after this instant are lost. */
  list(page: PageRequest, since: number): Promise<Page<NodeRecord>> {
    const itemOf = (row: NodeRow) => nodeOf(row, since);
    const order = [{ name: 'id', type: 'string' } as const];
    const all = { table: 'nodes', columns: COLUMNS, itemOf, where: sql`1 = 1`, order };
    return list(this.runner, all, page);
  }
}

export class NodeWriter extends NodeReader {
  async save(node: NodeRecord): Promise<void> {
    const { id, startedAt, seenAt, version, state, limiter } = node;
    const figures = [node.clockSkewMs ?? 0, node.requestsPerMinute, node.memoryBytes];
    await this.runner.run(save, [id, startedAt, seenAt, version, state, limiter, ...figures]);
  }

  async delete(id: string): Promise<void> {
    await this.runner.run(deleteOne, [id]);
  }

  /** Deletes up to DELETED_MAX nodes that were not seen after this instant. */
  deleteGone(at: number): Promise<number> {
    return this.runner.run(deleteGone, [at]);
  }
}

function nodeOf(row: NodeRow, since: number): NodeRecord {
  const [id, startedAt, seenAt, version, state, limiter, ...figures] = row;
  const [clockSkewMs, requestsPerMinute, memoryBytes] = figures;
  const known = { id, startedAt, seenAt, version, limiter };
  const isLost = seenAt <= since;
  return { ...known, state: isLost ? 'lost' : state, clockSkewMs, requestsPerMinute, memoryBytes };
}
