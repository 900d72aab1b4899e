import sql, { empty, join, raw } from 'sql-template-tag';
import { categoryTable } from './categories.ts';
import { dialectOf } from './dialect.ts';
import { keyTable } from './keys.ts';
import { movementTable } from './ledger.ts';
import { banTable, counterTable } from './limits.ts';
import { auditTable } from './logs/audit-log.ts';
import { requestTable } from './logs/request-log.ts';
import { orderTable } from './orders/orders.ts';
import { petTable } from './pets.ts';
import { query, Reader, type Row, runChange, statement, type Value } from './runner.ts';
import { Table } from './table.ts';
import { workspaceTable } from './tenants/workspaces.ts';
import { usageDayTable, usageMinuteTable } from './usage.ts';
import { attemptTable, parkedTable } from './webhooks/attempts.ts';
import { webhookTable } from './webhooks/webhooks.ts';

/** A table without records: its statements name its columns. */
function table(name: string, key: string, others?: string): Table {
  return new Table(name, { key: key.split(' '), fields: {}, hidden: others?.split(' ') ?? [] });
}

export const arrivalTable = table(
  'event_arrivals',
  'workspace_id id',
  'movement_id at traceparent text',
);

/** The tables with rows of a workspace, in the order that foreign keys require. */
export const workspaceTables: readonly Table[] = [
  keyTable,
  categoryTable,
  table('category_words', 'workspace_id word id'),
  petTable,
  table('pet_words', 'workspace_id word id'),
  orderTable,
  table('order_words', 'workspace_id word id'),
  movementTable,
  table('idempotency', 'workspace_id key', 'fingerprint status headers body created_at'),
  counterTable,
  banTable,
  usageDayTable,
  usageMinuteTable,
  requestTable,
  auditTable,
  table('event_heads', 'workspace_id', 'first_sequence last_sequence'),
  table('events', 'workspace_id sequence', 'at traceparent text'),
  arrivalTable,
  table('daily_events', 'workspace_id day name'),
  webhookTable,
  parkedTable,
  attemptTable,
];

/** The tables that are copied to another database. Arrivals are numbered before, so the events are the whole feed. */
export const tables: readonly Table[] = [
  workspaceTable,
  ...workspaceTables.filter((each) => each !== arrivalTable),
];

export function getTable(name: string): Table {
  const found = tables.find((each) => each.name === name);
  if (!found) throw new Error(`there is no table ${name}`);
  return found;
}

/** Tables that a copy leaves out. Leases, the log of changes and the list of nodes belong to the nodes of the source. */
export const tablesNotCopied: readonly string[] = ['event_arrivals', 'leases', 'changes', 'nodes'];

export class TableReader extends Reader {
  async count({ name }: Table): Promise<number> {
    return (await this.runner.row(
      statement<readonly [number]>(`SELECT count(*) FROM ${name}`),
      [],
    ))![0];
  }

  /** Rows in the order of the key, after the one given. */
  page(
    { name, key, allColumns: columns }: Table,
    after: Row | undefined,
    limit: number,
  ): Promise<Row[]> {
    const keys = raw(key.join(', '));
    const last = after?.slice(0, key.length) as Value[] | undefined;
    const where = last ? sql`WHERE (${keys}) > (${join(last)})` : empty;
    const list = raw(columns.join(', '));
    return query(
      this.runner,
      sql`SELECT ${list} FROM ${raw(name)} ${where} ORDER BY ${keys} LIMIT ${limit}`,
    );
  }

  /** Rows of a workspace in the order of the key, after the one given. */
  pageOf(
    workspaceId: number,
    { name, key, allColumns: columns }: Table,
    { after, limit }: { after?: Row | undefined; limit: number },
  ): Promise<Row[]> {
    const own = key.filter((column) => column !== 'workspace_id');
    // Without the workspace: SQLite would compare no more of the key than that by its index.
    const order = raw(own.join(', '));
    const last = after && own.map((column) => after[columns.indexOf(column)] as Value);
    const behind = last ? sql`AND (${order}) > (${join(last)})` : empty;
    return query(
      this.runner,
      sql`SELECT ${raw(columns.join(', '))} FROM ${raw(name)}
          WHERE workspace_id = ${workspaceId} ${behind} ORDER BY ${order} LIMIT ${limit}`,
      workspaceId,
    );
  }

  /** The last row, after which an interrupted copy continues. */
  async last({ name, key, allColumns: columns }: Table): Promise<Row | undefined> {
    const order = key.map((column) => `${column} DESC`).join(', ');
    const text = `SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${order} LIMIT 1`;
    return this.runner.row(statement<Row>(text), []);
  }

  /** The last number that a row of the table got, even if the row is deleted; 0 if none did. */
  async lastNumber({ name, isNumbered }: Table): Promise<number> {
    if (!isNumbered) return 0;
    const text = dialectOf(this.runner).lastNumber(name);
    return (await this.runner.row(statement<readonly [number | null]>(text), []))?.[0] ?? 0;
  }
}

export class TableWriter extends TableReader {
  async insert({ name, allColumns: columns }: Table, rows: readonly Row[]): Promise<void> {
    const values = join(rows.map((row) => sql`(${join(row as Value[])})`));
    await runChange(
      this.runner,
      sql`INSERT INTO ${raw(name)} (${raw(columns.join(', '))}) VALUES ${values}`,
    );
  }

  /** Until the transaction ends, nothing else writes to the table. SQLite has one writer at a time anyway. */
  async lock({ name }: Table): Promise<void> {
    const text = dialectOf(this.runner).lockTable(name);
    if (text) await this.runner.run(statement(text), []);
  }

  /** Updates the statistics PostgreSQL plans by; it would do so by itself only a minute later. */
  async analyze(): Promise<void> {
    for (const { name } of tables) {
      const text = dialectOf(this.runner).analyze(name);
      if (text) await this.runner.run(statement(text), []);
    }
  }

  /** Numbers new rows after `last`, the last number of the source, or after its own last number if that is higher. */
  async continueNumbering({ name }: Table, last: number): Promise<void> {
    for (const text of dialectOf(this.runner).continueNumbering(name)) {
      await this.runner.run(statement(text), [last]);
    }
  }
}
