import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { NO_WORKSPACE } from '../../domain/workspace.ts';
import type { ErasedWorkspace } from '../../lib/backup-files.ts';
import { flushFolder } from '../../lib/folders.ts';
import { isDamage, MissingStore, RESTORE, UnusableDatabase } from '../failures.ts';
import { type Differences, LedgerAuditReader } from '../maintenance/ledger-audit.ts';
import { databaseFileIn, holdsStore, openFile, unusable } from './file.ts';
import { SqliteRunner } from './runner.ts';
import { BUSY_MS } from './write-lock.ts';

/** What to do about a damaged copy. */
const OTHER = 'take another copy';

/**
 * Copies the database into a new file while it is served. The copy appears under its name only after it was read back
 * and found whole. When this returns, it survives a power failure: SQLite has flushed its content.
 */
export function backupSqlite(file: string, to: string, onStart = () => {}): void {
  if (existsSync(to)) throw new UnusableDatabase(`${to} exists already; nothing was overwritten`);
  if (!holdsStore(file)) throw new MissingStore(file);
  onStart();
  const partial = `${to}.partial`;
  rmSync(partial, { force: true });
  const db = new Database(file, { readonly: true, timeout: BUSY_MS });
  try {
    db.prepare('VACUUM INTO ?').run(partial);
    chmodSync(partial, 0o600);
    inspectCopy(partial);
    renameSync(partial, to);
  } catch (err) {
    rmSync(partial, { force: true });
    const remedy = isDamage(err) ? `: ${RESTORE}` : '';
    throw new UnusableDatabase(`${file} was not copied to ${to}: ${reasonOf(err)}${remedy}`);
  } finally {
    db.close();
  }
  flushFolder(dirname(to));
}

/**
 * Reads a copy without changing a byte of it, and returns how many rows each table has. Throws if it is damaged; `name` is what
 * the error calls it.
 */
export function inspectCopy(file: string, name = file): Record<string, number> {
  const db = openCopy(file);
  try {
    const check = db.pragma('integrity_check(1)', { simple: true });
    if (check !== 'ok')
      throw new UnusableDatabase(`${name} is damaged: ${String(check)}: ${OTHER}`);
    const names = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all() as string[];
    if (!names.includes('schema_migrations')) {
      throw new UnusableDatabase(`${name} is no copy of a store`);
    }
    const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    return Object.fromEntries(names.map((table) => [table, count(table) as number]));
  } catch (err) {
    throw unusable(name, err, OTHER);
  } finally {
    db.close();
  }
}

/** Compares the counts of a copy with its orders and its ledger. */
export async function reconcileCopy(file: string): Promise<Differences> {
  const db = openCopy(file);
  try {
    return await new LedgerAuditReader(new SqliteRunner(db)).differences();
  } finally {
    db.close();
  }
}

/** When a database was created. */
const STORE = '(SELECT min(applied_at) FROM schema_migrations)';

/** The workspaces that were erased before the copy was made. */
export function erasedIn(file: string): ErasedWorkspace[] {
  const db = openCopy(file);
  try {
    return db
      .prepare(
        `SELECT id, erased_at AS erasedAt, ${STORE} AS store FROM workspaces WHERE erased_at IS NOT NULL`,
      )
      .all() as ErasedWorkspace[];
  } finally {
    db.close();
  }
}

export interface Restoring {
  /** Workspaces that were erased after the copy was made. */
  erased: readonly ErasedWorkspace[];
  /** Who restores. */
  by: { id: string; name: string };
  now: number;
}

/**
 * Puts a copy into a data folder, under the name that a service looks for. It appears whole and without what was erased
 * since, or not at all. Returns how many workspaces were erased since.
 */
export function restoreSqlite(copy: string, folder: string, restoring: Restoring): number {
  const to = databaseFileIn(folder);
  const partial = `${to}.partial`;
  try {
    copyFileSync(copy, partial);
    chmodSync(partial, 0o600);
    inspectCopy(partial, copy);
    const closed = finishRestore(partial, restoring);
    const fd = openSync(partial, 'r+');
    fsyncSync(fd);
    closeSync(fd);
    renameSync(partial, to);
    flushFolder(folder);
    return closed;
  } catch (err) {
    // On a full disk SQLite leaves its log behind, and the folder would not be empty.
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${partial}${suffix}`, { force: true });
    if (!(err instanceof Database.SqliteError)) throw err;
    throw new UnusableDatabase(`${copy} was not restored into ${folder}: ${reasonOf(err)}`);
  }
}

/**
 * Writes into a restored database that it was restored, and closes workspaces that were erased since: their keys no longer
 * work, and the service erases them as soon as it starts. Returns how many there were.
 */
function finishRestore(file: string, { erased, by, now }: Restoring): number {
  const db = openFile(file);
  try {
    const close = db.prepare(
      `UPDATE workspaces SET closed_at = ?, closed_by = 'operator', erase_at = ?
       WHERE id = ? AND erased_at IS NULL AND created_at <= ? AND coalesce(?, ${STORE}) = ${STORE}`,
    );
    const revoke = db.prepare(
      'UPDATE api_keys SET revoked_at = ? WHERE workspace_id = ? AND revoked_at IS NULL',
    );
    const audit = db.prepare(
      `INSERT INTO audit_log (workspace_id, at, action, actor_type, actor_id, actor_name, target, fields_after)
       VALUES (${NO_WORKSPACE}, ?, 'command.run', 'command', ?, ?, 'service', ?)`,
    );
    return db.transaction(() => {
      audit.run(now, by.id, by.name, JSON.stringify({ command: 'server restore' }));
      // One that is newer has the id of another, which was erased before an older copy was restored.
      const closed = erased.filter(
        ({ id, erasedAt, store }) => close.run(now, now, id, erasedAt, store ?? null).changes === 1,
      );
      for (const { id } of closed) revoke.run(now, id);
      return closed.length;
    })();
  } finally {
    db.close();
  }
}

function openCopy(file: string): Database.Database {
  try {
    return new Database(file, { readonly: true, fileMustExist: true });
  } catch (err) {
    throw unusable(file, err, OTHER);
  }
}

function reasonOf(err: unknown): string {
  if (err instanceof Database.SqliteError) return `${err.message} (${err.code})`;
  return err instanceof Error ? err.message : String(err);
}
