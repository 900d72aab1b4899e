import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { UnusableDatabase } from './failures.ts';

export interface Migration {
  version: number;
  name: string;
  checksum: string;
  /** One SQL text of several statements, with {{…}} where engines differ. */
  template: string;
}

/** What an engine writes for each {{…}} of a migration. */
export type Dialect = Record<
  'id' | 'int' | 'text' | 'strict' | 'keyed' | 'arrival' | 'add' | 'concurrently',
  string
>;

/**
 * A section of a migration, from its line `-- part: …` to the next. Nodes of the version before serve while it runs.
 * It is run again from its start if the process dies before the migration is recorded, so it must be repeatable.
 */
export type Part =
  /**
   * `-- part: batches of movements if EXISTS (…)`: one statement, run for each range of ids of the table, above $1 up to
   * $2. The condition spares a large store without such rows the batches.
   */
  | { kind: 'batches'; table: string; condition: string; statement: string }
  /** `-- part: statements`: each commits by itself, so none holds a lock while the next one waits for its own. */
  | { kind: 'statements'; statements: readonly string[] };

/** The progress of a long migration. */
export interface MigrationProgress {
  /** The current step: rows of a table, or an index. */
  what: string;
  done: number;
  total: number;
}

/** The numbered files in migrations/, oldest first. A file that was released is never edited. */
export function readMigrations(): Migration[] {
  const folder = new URL('./migrations/', import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const template = readFileSync(new URL(file, folder), 'utf8');
      const checksum = createHash('sha256').update(template).digest('hex');
      return { version: Number(file.slice(0, 4)), name: file, checksum, template };
    });
}

export function sqlOf(migration: Migration, dialect: Dialect): string {
  return migration.template.replace(/\{\{(\w+)\}\}/g, (_, word: string) => {
    const text = (dialect as Record<string, string>)[word];
    if (text === undefined) throw new Error(`${migration.name} uses the unknown word ${word}`);
    return text;
  });
}

/** The parts of a migration, or none if it is to be applied as one transaction. */
export function partsOf(migration: Migration, dialect: Dialect): Part[] {
  const [before, ...sections] = sqlOf(migration, dialect).split(/^-- part: /m);
  if (sections.length > 0 && statementsOf(before!).length > 0) {
    throw new Error(`${migration.name} has a statement before its first part`);
  }
  return sections.map((section) => {
    const end = section.indexOf('\n');
    const title = section.slice(0, end);
    const statements = statementsOf(section.slice(end));
    if (title === 'statements') return { kind: 'statements', statements };
    const [, table, condition] = /^batches of (\w+) if (.+)$/.exec(title) ?? [];
    if (!table || !condition || statements.length !== 1) {
      throw new Error(`${migration.name} has the part "${title}", which cannot be run`);
    }
    return { kind: 'batches', table, condition, statement: statements[0]! };
  });
}

/** Splits at semicolons, so a part must not have one within a literal. */
function statementsOf(sql: string): string[] {
  return sql
    .replace(/^\s*--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/**
 * The migrations that are not yet applied. Throws if a much newer version has migrated the database, or if an applied
 * text differs from ours. One version ahead is accepted: during an upgrade nodes of two versions serve together, and a
 * migration only adds.
 */
export function pendingMigrations(
  applied: readonly (readonly [version: number, checksum: string])[],
  all: readonly Migration[] = readMigrations(),
): Migration[] {
  const newest = all.at(-1)?.version ?? 0;
  for (const [version, checksum] of applied) {
    const ours = all.find((migration) => migration.version === version);
    if (!ours && version > newest + 1) {
      throw new UnusableDatabase(
        `the database is at schema version ${version}, this program supports ${newest}: upgrade the program`,
      );
    }
    if (ours && ours.checksum !== checksum) {
      throw new UnusableDatabase(`migration ${ours.name} was applied with another text`);
    }
  }
  const done = new Set(applied.map(([version]) => version));
  return all.filter(({ version }) => !done.has(version));
}
