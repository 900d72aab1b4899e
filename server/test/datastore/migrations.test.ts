import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { UnusableDatabase } from '../../src/datastore/failures.ts';
import {
  type Migration,
  pendingMigrations,
  readMigrations,
  sqlOf,
} from '../../src/datastore/migrations.ts';
import { migratePostgres, postgresDialect } from '../../src/datastore/postgres/migrate.ts';
import { sqliteDialect } from '../../src/datastore/sqlite/migrate.ts';
import { createDatabase, onDatabase } from '../support/servers.ts';

describe('migrations', () => {
  const at = (version: number): Migration => {
    return { version, name: `${version}`, checksum: `sum ${version}`, template: '' };
  };
  const all = [at(1), at(2), at(3)];

  it('are applied in order, each once', () => {
    expect(pendingMigrations([], all)).toEqual(all);
    expect(pendingMigrations([[1, 'sum 1']], all)).toEqual([at(2), at(3)]);
  });

  it('let a program serve a database of the next version, and of no later one', () => {
    const applied = [1, 2, 3, 4].map((version) => [version, `sum ${version}`] as const);
    expect(pendingMigrations(applied, all)).toEqual([]);
    const tooNew = [...applied, [5, 'sum 5'] as const];
    expect(() => pendingMigrations(tooNew, all)).toThrow(UnusableDatabase);
  });

  it('refuse a database to which another text was applied', () => {
    const refusal = /from before version 1.0.0.*start with an empty folder or database/;
    expect(() => pendingMigrations([[1, 'another']], all)).toThrow(refusal);
    const earlier = [1, 2, 3, 4, 5, 6].map((version) => [version, 'another'] as const);
    expect(() => pendingMigrations(earlier, all)).toThrow(refusal);
  });

  it('only add after the first, since nodes of the version before go on serving', () => {
    const removing = /\b(DROP|RENAME|TRUNCATE|DELETE|ALTER\s+COLUMN|SET\s+NOT\s+NULL)\b/i;
    const required = /ADD\s+COLUMN[^;]*\bNOT\s+NULL(?![^;]*\bDEFAULT\b)/i;
    for (const migration of readMigrations().slice(1)) {
      for (const dialect of [postgresDialect, sqliteDialect]) {
        const sql = sqlOf(migration, dialect).replaceAll(/--.*/g, '');
        expect(sql, migration.name).not.toMatch(removing);
        expect(sql, migration.name).not.toMatch(required);
      }
    }
  });
});

describe('migrating PostgreSQL', () => {
  const names = readMigrations().map(({ name }) => name);

  it('is done by one of many nodes that start at once', async () => {
    const url = await createDatabase();
    const applied = await Promise.all(Array.from({ length: 6 }, () => migratePostgres(url)));
    expect(applied.flat().toSorted()).toEqual(names);
    expect(await migratePostgres(url)).toEqual([]);
  });

  it('refuses a database of another program and changes nothing in it', async () => {
    const url = await createDatabase();
    await onDatabase(url, (client) => client.query('CREATE TABLE invoices (id INT)'));
    await expect(migratePostgres(url)).rejects.toThrow(UnusableDatabase);
    const tables = await tableNames(url);
    expect(tables).toEqual(['invoices']);
  });

  it('refuses a history that is not its own and changes nothing', async () => {
    const url = await createDatabase();
    await onDatabase(url, (client) =>
      client.query('CREATE TABLE schema_migrations (version TEXT)'),
    );
    await expect(migratePostgres(url)).rejects.toThrow(UnusableDatabase);
    expect(await tableNames(url)).toEqual(['schema_migrations']);
  });

  it('refuses a database that a much newer version has migrated', async () => {
    const url = await createDatabase();
    await migratePostgres(url);
    await onDatabase(url, (client) =>
      client.query("INSERT INTO schema_migrations VALUES (9999, 'x', 'x', 0)"),
    );
    await expect(migratePostgres(url)).rejects.toThrow(/9999/);
  });

  it('undoes a migration that fails half way', async () => {
    const url = await createDatabase();
    await migratePostgres(url);
    await onDatabase(url, (client) =>
      client.query('DELETE FROM schema_migrations; DROP TABLE orders, workspaces CASCADE'),
    );
    // The first table can be created again, the next is there already.
    await expect(migratePostgres(url)).rejects.toThrow(/already exists/);
    expect(await tableNames(url)).not.toContain('workspaces');
  });

  it('steps aside from a table that is in use, and tries again', async () => {
    const url = await createDatabase();
    await migratePostgres(url);
    await onDatabase(url, async (client) => {
      await client.query('BEGIN; LOCK TABLE schema_migrations');
      const migrated = migratePostgres(url);
      await pause(1_300);
      await client.query('COMMIT');
      expect(await migrated).toEqual([]);
    });
  });

  it('compares every text by code point', async () => {
    const url = await createDatabase();
    await migratePostgres(url);
    const { rows } = await onDatabase(url, (client) =>
      client.query(
        `SELECT table_name, column_name FROM information_schema.columns
         WHERE table_schema = 'public' AND data_type = 'text' AND table_name <> 'schema_migrations'
           AND collation_name IS DISTINCT FROM 'C'`,
      ),
    );
    expect(rows).toEqual([]);
  });

  it('says in one line why a server cannot be used', async () => {
    const url = new URL(await createDatabase());
    url.pathname = 'nowhere';
    await expect(migratePostgres(url.href)).rejects.toThrow(/"nowhere" does not exist/);
    await expect(migratePostgres(url.href)).rejects.toThrow(UnusableDatabase);
  });
});

async function tableNames(url: string): Promise<string[]> {
  const { rows } = await onDatabase(url, (client) =>
    client.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    ),
  );
  return rows.map(({ name }) => name);
}
