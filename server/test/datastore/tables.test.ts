import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { Runner, Statement } from '../../src/datastore/runner.ts';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { flag, json, optional, plain, Table } from '../../src/datastore/table.ts';
import { TableReader, tables, tablesNotCopied } from '../../src/datastore/tables.ts';
import { erasedTables, tablesNotErased } from '../../src/datastore/tenants/erasure.ts';
import { nouns, tablesNotArchived } from '../../src/services/archive/nouns.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Column {
  name: string;
  /** The place in the primary key, counted from 1; 0 for other columns. */
  pk: number;
  /** 0 for a column that is written; others are generated. */
  hidden: number;
}

it('names every table and every column that the migrations create, so that a copy forgets none', () => {
  const folder = temporaryFolder();
  const file = `${folder.path}/petstore.db`;
  migrateSqlite(file);
  const db = new Database(file, { readonly: true });
  const names = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  const created = names
    .filter((name) => name !== 'schema_migrations' && !tablesNotCopied.includes(name))
    .map((name) => {
      const columns = db.pragma(`table_xinfo(${name})`) as Column[];
      const written = columns.filter(({ hidden }) => hidden === 0);
      const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
      return {
        name,
        key: key.map((column) => column.name),
        columns: written.map((column) => column.name).toSorted(),
      };
    });
  const isNumbered = db.prepare(
    "SELECT sql LIKE '%AUTOINCREMENT%' FROM sqlite_master WHERE name = ?",
  );
  for (const table of tables) {
    expect([table.name, Number(table.isNumbered)]).toEqual([
      table.name,
      isNumbered.pluck().get(table.name),
    ]);
  }
  db.close();
  folder.remove();
  // On SQLite the id alone is the key of a table whose key is the workspace and the id.
  const keyOf = (key: readonly string[]) => (key.join() === 'workspace_id,id' ? ['id'] : key);
  const copied = tables.map(({ name, key, allColumns }) => ({
    name,
    key: keyOf(key),
    columns: allColumns.toSorted(),
  }));
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  expect(copied.toSorted(byName)).toEqual(created.toSorted(byName));
});

it('writes a record as it reads it, in columns of every kind', () => {
  interface Thing {
    id: number;
    note?: string;
    isOn: boolean;
    metadata?: object;
  }
  const things = new Table<Thing>('things', {
    key: ['id'],
    fields: {
      id: plain('id'),
      note: optional('note'),
      isOn: flag('is_on'),
      metadata: json('metadata'),
    },
  });
  for (const row of [
    [1, 'new', 1, '{"a":"b"}'],
    [2, null, 0, null],
  ]) {
    expect(things.valuesOf(things.recordOf(row))).toEqual(row);
  }
});

it('erases a workspace from every table, except those that are named', () => {
  const known = [...erasedTables.map(({ name }) => name), ...tablesNotErased].toSorted();
  expect(known).toEqual([...tables.map(({ name }) => name), ...tablesNotCopied].toSorted());
});

it('exports every table of a workspace, except those that are named with the reason', () => {
  const known = [...nouns.map(({ table }) => table.name), ...Object.keys(tablesNotArchived)];
  expect(known.toSorted()).toEqual(erasedTables.map(({ name }) => name).toSorted());
});

it('reads each page of an export by an index, from where the page before ended', async () => {
  const folder = temporaryFolder();
  const file = `${folder.path}/petstore.db`;
  migrateSqlite(file);
  const db = new Database(file, { readonly: true });
  const plans: string[] = [];
  const rows = async ({ text }: Statement, values: readonly unknown[]) => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${text.replace(/\$\d+/g, '?')}`).all(...values);
    plans.push(plan.map((step) => (step as { detail: string }).detail).join());
    return [];
  };
  const reader = new TableReader({ engine: 'sqlite', rows } as unknown as Runner);
  for (const { table } of nouns) {
    await reader.pageOf(1, table, { after: table.allColumns.map(() => 1), limit: 2 });
    expect(plans.at(-1), table.name).toMatch(/^SEARCH \w+ USING .*\(workspace_id=\? AND .*>.*\)$/);
  }
  db.close();
  folder.remove();
});
