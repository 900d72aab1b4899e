import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settings } from '../../server/src/config.ts';
import { errorCodes } from '../../server/src/domain/errors.ts';
import { operations } from '../../server/src/operations/operations.ts';
import { staleFiles, write } from '../generate.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const script = join(project, 'scripts/generate.ts');

describe('what is generated', () => {
  const generated = mkdtempSync(join(tmpdir(), 'petstore-generated-'));
  let root: string;
  beforeAll(() => {
    cpSync(join(project, 'docs/running.md'), join(generated, 'docs/running.md'));
    cpSync(join(project, 'docs/events.md'), join(generated, 'docs/events.md'));
    write(generated, staleFiles(generated));
  });
  afterAll(() => rmSync(generated, { recursive: true }));
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'petstore-generate-'));
    cpSync(generated, root, { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const file = (path: string) => readFileSync(join(root, path), 'utf8');
  const check = () =>
    spawnSync(process.execPath, [script, '--check', '--root', root], { encoding: 'utf8' });

  it('names every operation, error code and setting', () => {
    const document = JSON.parse(file('openapi/petstore.json')) as { openapi: string };
    expect(document.openapi).toBe('3.0.3');
    for (const { id, path } of operations) {
      expect(file('openapi/operations.txt')).toMatch(new RegExp(`^${id} `, 'm'));
      expect(document).toHaveProperty(['paths', path]);
    }
    for (const code of errorCodes) expect(file('docs/errors.md')).toContain(`| \`${code}\` |`);
    for (const name of Object.keys(settings)) {
      expect(file('docs/running.md')).toContain(`| \`${name}\` |`);
    }
  });

  it('is the same when it is generated again', () => {
    expect(staleFiles(root)).toEqual(new Map());
  });

  it('is found stale by the check, which names the file and its remedy and writes nothing', () => {
    expect(check()).toMatchObject({ status: 0, stderr: '' });
    const edited = file('docs/running.md').replace('`PETSTORE_PORT`', '`PETSTORE_DOOR`');
    writeFileSync(join(root, 'docs/running.md'), edited);
    rmSync(join(root, 'openapi/operations.txt'));
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr.trim().split('\n').sort()).toEqual([
      'docs/running.md is stale: run npm run generate',
      'openapi/operations.txt is stale: run npm run generate',
    ]);
    expect(file('docs/running.md')).toBe(edited);
    expect([...staleFiles(root).keys()]).toContain('openapi/operations.txt');
  });

  it('leaves what people wrote around the settings as it was', () => {
    const written = file('docs/running.md');
    writeFileSync(join(root, 'docs/running.md'), written.replace('# Running', '# On running'));
    expect(staleFiles(root)).toEqual(new Map());
  });
});
