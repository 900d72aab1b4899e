// The files around a backup: a manifest beside each copy, the time of the last backup in the data folder, and which
// copies of a folder are kept.

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { flushFolder } from './folders.ts';

export interface Manifest {
  /** RFC 3339. */
  createdAt: string;
  bytes: number;
  sha256: string;
  /** By table. */
  rows: Record<string, number>;
  /** Whether the counts, orders and ledger of the copy were compared. */
  isReconciled: boolean;
}

const NAME_SHAPE = /^petstore-\d{8}T\d{6}Z\.db$/;
/** A copy, its manifest, or what is left of one that was not finished. */
const FILE_SHAPE = /^petstore-\d{8}T\d{6}Z\.db(\.json)?(\.partial(-journal)?)?$/;
const CHUNK_BYTES = 1024 * 1024;
/** In the data folder. Only its time counts. */
const LAST_BACKUP = 'last-backup';

/** The name of a copy made at this instant. Names sort by time. */
export function copyNameAt(now: number): string {
  return `petstore-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}.db`;
}

export function manifestFileOf(copy: string): string {
  return `${copy}.json`;
}

export function digestOf(file: string): string {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const fd = openSync(file, 'r');
  try {
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
      hash.update(chunk.subarray(0, read));
    }
  } finally {
    closeSync(fd);
  }
  return hash.digest('hex');
}

/** When this returns, the file survives a power failure. It is never there half-written. */
export function writeDurably(file: string, text: string): void {
  const partial = `${file}.partial`;
  const fd = openSync(partial, 'w', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(partial, file);
  flushFolder(dirname(file));
}

/** A workspace that no restore may bring back. */
export interface ErasedWorkspace {
  id: number;
  erasedAt: number;
  /** When its database was created. A folder may hold copies of several databases, which give the same ids. */
  store?: number;
}

/** One list for all copies of a folder, so that an older copy knows of workspaces that were erased later. */
function erasedFileBeside(copy: string): string {
  return join(dirname(copy), 'erased-workspaces.json');
}

/** Throws if the file is no such list. */
export function readErased(copy: string): ErasedWorkspace[] {
  const file = erasedFileBeside(copy);
  if (!existsSync(file)) return [];
  const list: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (Array.isArray(list) && list.every(isErased)) return list;
  throw new TypeError(`${file} is no list of workspaces`);
}

function isErased({ id, erasedAt }: Partial<ErasedWorkspace>): boolean {
  return Number.isSafeInteger(id) && Number.isSafeInteger(erasedAt);
}

/** Adds to the list beside a copy. None is ever taken out. */
export function addErased(copy: string, erased: readonly ErasedWorkspace[]): void {
  const known = [...readErased(copy), ...erased].map(
    (each) => [`${each.id} ${each.store}`, each] as const,
  );
  const all = [...new Map(known).values()].toSorted((a, b) => a.id - b.id);
  writeDurably(erasedFileBeside(copy), `${JSON.stringify(all)}\n`);
}

/** Undefined if the copy has none. Throws if it is no manifest. */
export function readManifest(copy: string): Manifest | undefined {
  const file = manifestFileOf(copy);
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}

/**
 * Deletes the oldest copies of a folder, each with its manifest, and what older backups that were killed have left. Files
 * of other names stay. Returns the copies that were deleted.
 */
export function deleteOldCopies(folder: string, keep: number): string[] {
  const names = readdirSync(folder).toSorted();
  const copies = names.filter((name) => NAME_SHAPE.test(name));
  const [oldestKept = ''] = copies.slice(-keep);
  for (const name of names) {
    if (FILE_SHAPE.test(name) && name < oldestKept) rmSync(join(folder, name));
  }
  return copies.slice(0, -keep);
}

export function noteBackup(dataFolder: string, now: number): void {
  const file = join(dataFolder, LAST_BACKUP);
  writeFileSync(file, '', { mode: 0o600 });
  utimesSync(file, now / 1000, now / 1000);
}

/** Epoch milliseconds of the last backup; undefined if there was none. */
export function lastBackupAt(dataFolder: string): number | undefined {
  return statSync(join(dataFolder, LAST_BACKUP), { throwIfNoEntry: false })?.mtimeMs;
}
