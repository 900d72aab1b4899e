import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { flushFolder } from '../../lib/flush-folder.ts';
import { MissingStore, UnusableDatabase } from '../failures.ts';
import { holdsStore } from './file.ts';
import { BUSY_MS } from './write-lock.ts';

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
    refuseDamagedCopy(partial);
    renameSync(partial, to);
  } catch (err) {
    rmSync(partial, { force: true });
    throw new UnusableDatabase(`${file} was not copied to ${to}: ${reasonOf(err)}`);
  } finally {
    db.close();
  }
  flushFolder(dirname(to));
}

function refuseDamagedCopy(partial: string): void {
  const copy = new Database(partial, { readonly: true });
  const check = copy.pragma('integrity_check(1)', { simple: true });
  copy.close();
  if (check !== 'ok') throw new UnusableDatabase(`the copy is damaged: ${String(check)}`);
}

function reasonOf(err: unknown): string {
  if (err instanceof Database.SqliteError) return `${err.message} (${err.code})`;
  return err instanceof Error ? err.message : String(err);
}
