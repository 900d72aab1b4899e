import { writeFileSync } from 'node:fs';
import { afterAll, beforeEach, vi } from 'vitest';
import { runCommand } from '../../../src/cli/run-command.ts';
import type { TestApp } from '../../support/app.ts';
import { captureOutput } from '../../support/captured-output.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SECRET_KEY = Buffer.alloc(32, 'test').toString('base64');

/** `petstore server import-workspace` on the database of the app, beside it. */
export function importCommand(app: () => TestApp) {
  const folder = temporaryFolder();
  const file = `${folder.path}/workspace.tar.gz`;
  const output = captureOutput();
  afterAll(folder.remove);
  beforeEach(() => {
    const { PETSTORE_DATA_DIR: data, PETSTORE_DATABASE_URL: url } = app().config;
    vi.stubEnv('PETSTORE_DATA_DIR', data);
    vi.stubEnv('PETSTORE_SECRET_KEY', SECRET_KEY);
    if (url !== undefined) vi.stubEnv('PETSTORE_DATABASE_URL', url);
  });
  const run = (archive: Buffer) => {
    output.stdout = '';
    output.stderr = '';
    writeFileSync(file, archive);
    return runCommand(['server', 'import-workspace', file, '--json']);
  };
  return { file, output, run };
}
