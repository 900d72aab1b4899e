import sql from 'sql-template-tag';
import { list, type Page, type PageRequest } from '../list.ts';
import { Reader, type Row, statement } from '../runner.ts';
import { optional, plain, Table } from '../table.ts';

/** A node that was not seen for this time is lost. */
export const NODE_ALIVE_MS = 15_000;

/** `unavailable`: it answers 503 on /readyz. `lost`: it was not seen lately and did not say that it stops. */
export const nodeStates = ['ready', 'unavailable', 'stopping', 'lost'] as const;

/** What a node says of itself every few seconds. */
export interface NodeReport {
  version: string;
  state: (typeof nodeStates)[number];
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
  /** `alone`: it applies limits by itself beside other nodes, or its Valkey is out of reach. */
  limiter: 'shared' | 'alone';
}

/** A row as it is saved, with the Valkey in which the node counts. */
type NodeRow = NodeRecord & { countsIn?: number | undefined };

/** The name of a Valkey, and the one that it had before: nodes write theirs one after the other. */
export type CountsIn = readonly [name: number, before: number];

/** Other nodes that were seen lately, and how many of them count where this node does. */
export interface OtherNodes {
  all: number;
  together: number;
}

export const nodeTable = new Table<NodeRow>('nodes', {
  key: ['id'],
  fields: {
    id: plain('id'),
    startedAt: plain('started_at'),
    seenAt: plain('seen_at'),
    version: plain('version'),
    state: plain('state'),
    limiter: plain('limiter'),
    countsIn: optional('counts_in'),
    clockSkewMs: optional('clock_skew_ms'),
    requestsPerMinute: plain('requests_per_minute'),
    memoryBytes: plain('memory_bytes'),
  },
});

const save = statement(
  `INSERT INTO nodes (${nodeTable.columns})
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   ON CONFLICT (id) DO UPDATE SET seen_at = $3, version = $4, state = $5, limiter = $6, counts_in = $7, clock_skew_ms = $8,
     requests_per_minute = $9, memory_bytes = $10`,
);
const countOthers = statement<readonly [all: number, together: number]>(
  'SELECT COUNT(*), COUNT(CASE WHEN counts_in IN ($3, $4) THEN 1 END) FROM nodes WHERE id <> $1 AND seen_at > $2',
);
const deleteOne = statement('DELETE FROM nodes WHERE id = $1');

/** The nodes that serve from this database. */
export class NodeReader extends Reader {
  /** Counts the other nodes that were seen after this instant. */
  async countOthers(
    { id, countsIn }: { id: string; countsIn: CountsIn | undefined },
    since: number,
  ): Promise<OtherNodes> {
    const values = [id, since, ...(countsIn ?? [null, null])];
    const [all, together] = (await this.runner.row(countOthers, values))!;
    return { all, together };
  }

  /** All nodes. Those that were not seen after this instant are lost. */
  list(page: PageRequest, since: number): Promise<Page<NodeRecord>> {
    const itemOf = (row: Row): NodeRecord => {
      const node = nodeTable.recordOf(row);
      return node.seenAt <= since ? { ...node, state: 'lost' } : node;
    };
    const order = [{ name: 'id', type: 'string' } as const];
    const all = { table: 'nodes', columns: nodeTable.columns, itemOf, where: sql`TRUE`, order };
    return list(this.runner, all, page);
  }
}

export class NodeWriter extends NodeReader {
  async save(node: NodeRow): Promise<void> {
    await this.runner.run(save, nodeTable.valuesOf(node));
  }

  async delete(id: string): Promise<void> {
    await this.runner.run(deleteOne, [id]);
  }
}
