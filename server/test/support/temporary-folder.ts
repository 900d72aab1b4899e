import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();
process.once('exit', () => folders.forEach(removeFolder));

export interface TemporaryFolder {
  path: string;
  remove: () => void;
  /** Leaves the folder where it is when the process ends. */
  keep: () => void;
}

/** A new folder, which is removed when the process ends. What tests leave is removed after the last file as well. */
export function temporaryFolder(
  prefix = 'petstore-',
  parent = process.env.TEST_FOLDER ?? tmpdir(),
): TemporaryFolder {
  removeLeftovers(parent, prefix);
  const path = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  folders.add(path);
  const keep = () => void folders.delete(path);
  const remove = () => {
    removeFolder(path);
    keep();
  };
  return { path, remove, keep };
}

/** Removes folders of killed processes. The name contains the id of the process that made it. */
function removeLeftovers(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    const owner = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : 0;
    if (owner > 0 && !isAlive(owner)) removeFolder(join(parent, name));
  }
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM';
  }
}
