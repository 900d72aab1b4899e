import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findOrInstall } from '../../scripts/test-support/install-packages.ts';

export interface Fault {
  /** The call that fails, counted from 1. */
  nth: number;
  error: 'EIO' | 'ENOSPC';
  /** All calls after it fail too. */
  isOnward: boolean;
  /** Only flushes are counted. */
  isFlush?: boolean;
}

const SOURCE = fileURLToPath(new URL('./io-faults.c', import.meta.url));
const FIELDS = 6;

/** Makes calls of a running process on the files of one folder fail. */
export class IoFaults {
  /** The environment that the process must be started with. */
  readonly environment: Record<string, string>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'petstore-io-'));
  readonly #orders: number;

  constructor(watched: string) {
    const library = join(this.#folder, 'io-faults.so');
    const cc = findOrInstall(['cc'], ['gcc', 'libc6-dev']);
    execFileSync(cc, ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl']);
    const file = join(this.#folder, 'orders');
    writeFileSync(file, Buffer.alloc(FIELDS * 8));
    this.#orders = openSync(file, 'r+');
    this.environment = { LD_PRELOAD: library, IO_FAULTS: file, IO_FAULTS_FOLDER: watched };
  }

  arm({ nth, error, isOnward, isFlush = false }: Fault): void {
    const fields = [nth, constants.errno[error], isOnward ? 1 : 0, isFlush ? 1 : 0, 0, 0];
    // The number switches faults on, so it is written last.
    this.#write([0, ...fields.slice(1)]);
    this.#write([nth]);
  }

  disarm(): void {
    this.#write([0]);
  }

  /** How many calls have failed since it was armed. */
  get fired(): number {
    const bytes = Buffer.alloc(8);
    readSync(this.#orders, bytes, 0, 8, (FIELDS - 1) * 8);
    return Number(bytes.readBigInt64LE());
  }

  remove(): void {
    closeSync(this.#orders);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(fields: readonly number[]): void {
    const bytes = Buffer.from(BigInt64Array.from(fields.map(BigInt)).buffer);
    writeSync(this.#orders, bytes, 0, bytes.length, 0);
  }
}
