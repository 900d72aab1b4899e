import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Some file systems cannot flush a folder, and a folder may be writable but not readable. */
const UNSUPPORTED = ['EACCES', 'EBADF', 'EINVAL', 'ENOTSUP', 'EPERM'];

/** Makes the names of the files in a folder survive a power failure. Flushing a file flushes its content alone. */
export function flushFolder(folder: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(folder, 'r');
    fsyncSync(fd);
  } catch (err) {
    if (!UNSUPPORTED.includes((err as NodeJS.ErrnoException).code ?? '')) throw err;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Creates a folder, and those that it is in, for their owner only. Node's `recursive` would try for ever where the system
 * says that a folder does not exist because none can be created there, as in /proc.
 */
export function makeFolder(folder: string): void {
  const parent = dirname(folder);
  if (!existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (err) {
    const isThere = (err as NodeJS.ErrnoException).code === 'EEXIST';
    if (!isThere || !statSync(folder).isDirectory()) throw err;
  }
}
