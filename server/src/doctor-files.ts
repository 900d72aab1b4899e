// What `petstore server doctor` finds on the disk of this machine.

import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS } from './domain/durations.ts';
import { lastBackupAt } from './lib/backup-files.ts';

/** `warning`: it serves, but look at it. */
export interface Finding {
  name: string;
  state: 'ok' | 'warning' | 'failed';
  /** What was found and, unless it is ok, what to do. */
  message: string;
}

const GIGABYTE = 1e9;
/** Below this the next growth of the log or of the database may not fit. */
const FREE_BYTES_MIN = 200e6;
const FREE_SHARE_MIN = 0.1;
/** A nightly backup that was missed once. */
const BACKUP_AGE_MAX_MS = 2 * DAY_MS;
/** The files of a data folder that hold data or secrets. */
const PRIVATE_FILES = ['petstore.db', 'petstore.db-wal', 'secret.key'];
const CLOCK_BEHIND_MAX_MS = 60_000;

export function diskFinding(space: { freeBytes: number; totalBytes: number }): Finding {
  const { freeBytes, totalBytes } = space;
  const found = `${(freeBytes / GIGABYTE).toFixed(1)} GB of ${(totalBytes / GIGABYTE).toFixed(1)} GB are free`;
  if (freeBytes < FREE_BYTES_MIN) {
    return failed('disk', `${found}: make room, or writes will be answered with 503`);
  }
  if (freeBytes < totalBytes * FREE_SHARE_MIN) return warning('disk', `${found}: make room soon`);
  return ok('disk', found);
}

export function freeSpace(folder: string): { freeBytes: number; totalBytes: number } {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** The data folder and its files belong to the user of the service, and others can read none of them. */
export function filesFinding(folder: string): Finding {
  const files = PRIVATE_FILES.map((name) => join(folder, name)).filter((file) => existsSync(file));
  for (const file of [folder, ...files]) {
    const mode = statSync(file).mode & 0o777;
    if ((mode & 0o077) !== 0) {
      const needed = file === folder ? '700' : '600';
      const found = `${file} has mode ${mode.toString(8)}`;
      return failed('files', `${found}: run chmod ${needed} on it, so that no other user reads it`);
    }
    try {
      accessSync(file, constants.R_OK | constants.W_OK);
    } catch {
      return failed('files', `this user cannot write ${file}: run this as the user of the service`);
    }
  }
  return ok('files', `${folder} and its files are for their owner alone`);
}

/** SQLite has no clock of its own, but the database is never newer than the clock. */
export function machineClockFinding(file: string, now: number): Finding {
  const aheadMs = statSync(file).mtimeMs - now;
  if (aheadMs <= CLOCK_BEHIND_MAX_MS) return ok('clock', 'not behind the last change');
  const seconds = Math.round(aheadMs / 1000);
  return failed(
    'clock',
    `the clock of this machine is ${seconds} s behind the last change of the database: synchronise it with NTP`,
  );
}

export function backupFinding(folder: string, now: number): Finding {
  const at = lastBackupAt(folder);
  const command = 'petstore server backup --into FOLDER --keep N';
  if (at === undefined) {
    return warning('backup', `there has never been one: run ${command}, and install its timer`);
  }
  const hours = Math.round((now - at) / HOUR_MS);
  if (now - at <= BACKUP_AGE_MAX_MS) return ok('backup', `${hours} h old`);
  return failed('backup', `${hours} h old: run ${command}, and look at the timer`);
}

export function ok(name: string, message: string): Finding {
  return { name, state: 'ok', message };
}

export function warning(name: string, message: string): Finding {
  return { name, state: 'warning', message };
}

export function failed(name: string, message: string): Finding {
  return { name, state: 'failed', message };
}
