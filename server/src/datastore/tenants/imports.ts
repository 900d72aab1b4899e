// Rows of a workspace that is imported. Until all of them are there it is closing and has no active key. Every transaction
// puts off its end a little, so one whose import was interrupted is erased like any other that is closed.

import sql, { raw } from 'sql-template-tag';
import { MINUTE_MS } from '../../domain/durations.ts';
import { categoryWords } from '../categories.ts';
import { recordChange } from '../cluster/changes.ts';
import { databaseNow } from '../dialect.ts';
import { orderWords } from '../orders/order-details.ts';
import { petWords } from '../pets.ts';
import { Reader, type Row, runChange, statement } from '../runner.ts';
import type { WordIndex } from '../search/words.ts';
import type { Table } from '../table.ts';
import { TableWriter } from '../tables.ts';

/** How long after its last transaction an import counts as interrupted. */
const IMPORT_MS = 10 * MINUTE_MS;

const insertHead = statement(
  'INSERT INTO event_heads (workspace_id, first_sequence, last_sequence) VALUES ($1, $2, $3)',
);
const indexes: Readonly<Record<string, WordIndex>> = {
  categories: categoryWords,
  pets: petWords,
  orders: orderWords,
};

export class ImportWriter extends Reader {
  readonly #tables = new TableWriter(this.runner);

  /** False if the workspace is no longer being imported: it was reopened, or is erased. */
  async extend(workspaceId: number, nodeNow: number): Promise<boolean> {
    return this.#end(workspaceId, nodeNow, IMPORT_MS);
  }

  /** False as for `extend`. Orders that were overdue in the archive end soon. */
  async finish(workspaceId: number, nodeNow: number): Promise<boolean> {
    const subject = String(workspaceId);
    await recordChange(this.runner, { workspaceId, kind: 'overdue', subject });
    return this.extend(workspaceId, nodeNow);
  }

  /** From now on it is erased. */
  async abandon(workspaceId: number, nodeNow: number): Promise<boolean> {
    return this.#end(workspaceId, nodeNow, 0);
  }

  /**
   * Takes so many ids of a table and returns the one before the first of them. No other row gets one of them: while the table
   * is locked no other transaction draws a number.
   */
  async reserveIds(table: Table, count: number): Promise<number> {
    await this.#tables.lock(table);
    const last = await this.#tables.lastNumber(table);
    await this.#tables.continueNumbering(table, last + count);
    return last;
  }

  async insertHead(workspaceId: number, first: number, last: number): Promise<void> {
    await this.runner.run(insertHead, [workspaceId, first, last]);
  }

  /** Inserts rows, which have all columns of the table, and their words. */
  async insert(workspaceId: number, table: Table, rows: readonly Row[]): Promise<void> {
    await this.#tables.insert(table, rows);
    const index = indexes[table.name];
    if (!index) return;
    const [id, deletedAt] = ['id', 'deleted_at'].map((name) => table.allColumns.indexOf(name));
    const present = rows.filter((row) => deletedAt === -1 || row[deletedAt!] === null);
    const ids = present.map((row) => row[id!] as number);
    await index.add(this.runner, workspaceId, ids);
  }

  async #end(workspaceId: number, nodeNow: number, afterMs: number): Promise<boolean> {
    const changed = await runChange(
      this.runner,
      sql`UPDATE workspaces SET erase_at = ${databaseNow(nodeNow)} + ${raw(String(afterMs))}
          WHERE id = ${workspaceId} AND closed_at IS NOT NULL AND erased_at IS NULL`,
    );
    return changed === 1;
  }
}
