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
  'id' | 'directory_id' | 'int' | 'text' | 'key' | 'rows' | 'sorted' | 'arrival' | 'and_id',
  string
>;

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
  const checksums = new Map(all.map(({ version, checksum }) => [version, checksum]));
  const isOther = ([version, checksum]: readonly [number, string]) =>
    checksums.has(version) && checksums.get(version) !== checksum;
  if (applied.some(isOther)) {
    throw new UnusableDatabase(
      'the store was written by a build from before version 1.0.0, and its data is not carried over: start with an empty folder or database',
    );
  }
  const last = Math.max(0, ...applied.map(([version]) => version));
  if (last > newest + 1) {
    throw new UnusableDatabase(
      `the database is at schema version ${last}, this program supports ${newest}: upgrade the program`,
    );
  }
  const done = new Set(applied.map(([version]) => version));
  return all.filter(({ version }) => !done.has(version));
}
