import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '../server/test/support/temporary-folder.ts';

export interface Checkout {
  /** The short id of the commit. */
  commit: string;
  folder: string;
  remove: () => void;
}

const ARCHIVE_BYTES_MAX = 256 * 1024 * 1024;

/** Writes the files of a commit to a temporary folder, in which its service can be started. */
export function checkOut(name: string): Checkout {
  const commit = git(['rev-parse', '--short', '--verify', `${name}^{commit}`])
    .toString()
    .trim();
  const { path: folder, remove } = temporaryFolder('petstore-checkout-');
  execFileSync('tar', ['-x', '-C', folder], { input: git(['archive', commit]) });
  provideModules(folder);
  return { commit, folder, remove };
}

/** Borrows the installed packages of this checkout where the lockfile is the same. */
function provideModules(folder: string): void {
  const lockfileOf = (checkout: string) => readFileSync(join(checkout, 'package-lock.json'));
  if (lockfileOf(folder).equals(lockfileOf('.'))) {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    return;
  }
  execFileSync(process.execPath, ['scripts/setup.mjs'], { cwd: folder, stdio: ['ignore', 2, 2] });
}

function git(args: readonly string[]): Buffer {
  return execFileSync('git', args, { maxBuffer: ARCHIVE_BYTES_MAX });
}
