import { statSync } from 'node:fs';
import { StorageUnavailable } from '../failures.ts';

/**
 * Notices that the database or its log was deleted, moved or replaced while it is open. Writes would still succeed then, but
 * into files that no other process can open, and would be lost with the last connection.
 */
export class FileIdentity {
  readonly #files: readonly { path: string; identity: string | undefined }[];
  #failure: StorageUnavailable | undefined;

  /** To be constructed once the log exists, which is after the first read. */
  constructor(file: string) {
    this.#files = [file, `${file}-wal`].map((path) => ({ path, identity: identityOf(path) }));
  }

  /** Looks at the files. Throws if one is not the file that was opened. */
  check(): void {
    const changed = this.#files.find(({ path, identity }) => identityOf(path) !== identity);
    this.#failure = changed && new StorageUnavailable(explanation(changed.path));
    this.assertIntact();
  }

  /** Throws if the last check did. */
  assertIntact(): void {
    if (this.#failure) throw this.#failure;
  }
}

function identityOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  } catch (err) {
    throw new StorageUnavailable(err);
  }
}

function explanation(path: string): string {
  return `${path} was deleted or replaced while the service was running. Nothing is read or written until the same file is moved back. If it is gone, stop the service, restore a backup and start it again`;
}
