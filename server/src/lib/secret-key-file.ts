import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { flushFolder } from './folders.ts';
import { SECRET_KEY_BYTES } from './secret-box.ts';

/** The file is there and cannot be used; the message says why. */
export class UnusableSecretKey extends Error {}

/** The 32 bytes that this text is base64 of; undefined when it is not. */
export function parseSecretKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64');
  return key.length === SECRET_KEY_BYTES && key.toString('base64') === text ? key : undefined;
}

/** Reads the key, or creates it when there is none. Of several processes that create it at once, all get the same. */
export function openSecretKeyFile(file: string): Buffer {
  if (!statSync(file, { throwIfNoEntry: false })) create(file);
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new UnusableSecretKey(
      `${file} can be read by others than its owner: run chmod 600 on it`,
    );
  }
  const key = parseSecretKey(readFileSync(file, 'utf8').trim());
  if (!key) throw new UnusableSecretKey(`${file} must hold ${SECRET_KEY_BYTES} bytes in base64`);
  return key;
}

/** Writes it beside and links it, so the file never exists half-written. When this returns, it survives a power failure. */
function create(file: string): void {
  const partial = `${file}.${process.pid}`;
  rmSync(partial, { force: true });
  const fd = openSync(partial, 'wx', 0o600);
  try {
    writeSync(fd, `${randomBytes(SECRET_KEY_BYTES).toString('base64')}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  try {
    linkSync(partial, file);
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'EEXIST') throw err;
  } finally {
    rmSync(partial, { force: true });
  }
  flushFolder(dirname(file));
}
