import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder. What a test leaves of it is removed after the last file. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), 'petstore-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
