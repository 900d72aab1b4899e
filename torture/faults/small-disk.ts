import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BLOCK_BYTES = 64 * 1024;
const LAST_BYTES = 512;

/** A disk of a few megabytes that can be filled to the last byte and emptied again. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'petstore-disk-'));

  constructor(megabytes: number) {
    const options = `size=${megabytes}m,mode=0700`;
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', this.folder]);
    } catch (err) {
      throw new Error(
        'The full disk cannot be tested here: mounting a small disk needs root (or CAP_SYS_ADMIN in a container).',
        { cause: err },
      );
    }
  }

  fill(): void {
    const file = openSync(join(this.folder, 'filler'), 'a');
    for (const bytes of [BLOCK_BYTES, LAST_BYTES, 1]) writeUntilFull(file, Buffer.alloc(bytes));
    closeSync(file);
  }

  free(): void {
    rmSync(join(this.folder, 'filler'), { force: true });
  }

  remove(): void {
    execFileSync('umount', ['--lazy', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes);
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ENOSPC') throw err;
  }
}
