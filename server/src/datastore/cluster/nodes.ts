import { DELETED_MAX, Reader, statement } from '../runner.ts';

export interface NodeRow {
  id: string;
  startedAt: number;
  seenAt: number;
}

const save = statement(
  `INSERT INTO nodes (id, started_at, seen_at) VALUES ($1, $2, $3)
   ON CONFLICT (id) DO UPDATE SET seen_at = $3`,
);
const countOthers = statement<readonly [count: number]>(
  'SELECT COUNT(*) FROM nodes WHERE id <> $1 AND seen_at > $2',
);
const deleteOne = statement('DELETE FROM nodes WHERE id = $1');
const deleteGone = statement(
  `DELETE FROM nodes WHERE id IN (SELECT id FROM nodes WHERE seen_at <= $1 LIMIT ${DELETED_MAX})`,
);

/** The nodes that serve from this database. */
export class NodeReader extends Reader {
  /** How many other nodes were seen after this instant. */
  async countOthers(id: string, since: number): Promise<number> {
    return (await this.runner.row(countOthers, [id, since]))![0];
  }
}

export class NodeWriter extends NodeReader {
  async save({ id, startedAt, seenAt }: NodeRow): Promise<void> {
    await this.runner.run(save, [id, startedAt, seenAt]);
  }

  async delete(id: string): Promise<void> {
    await this.runner.run(deleteOne, [id]);
  }

  /** Deletes up to DELETED_MAX nodes that were not seen after this instant. */
  deleteGone(at: number): Promise<number> {
    return this.runner.run(deleteGone, [at]);
  }
}
