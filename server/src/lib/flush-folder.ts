import { closeSync, fsyncSync, openSync } from 'node:fs';

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
