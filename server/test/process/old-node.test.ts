import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../bin/petstore.js', import.meta.url));
const PRETEND =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})';

/** The Node of the machine, where it has one of its own that is too old. */
const oldNodes = [...new Set((process.env.PATH ?? '').split(delimiter))]
  .map((folder) => join(folder, 'node'))
  .filter((node) => existsSync(node) && majorOf(node) < 26);

function majorOf(node: string): number {
  const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  return Number.parseInt(stdout, 10);
}

describe('petstore on an old Node says in one line where the right one is', () => {
  it.each([
    ['20.1.0', process.execPath, ['--import', PRETEND, MAIN]] as const,
    ...oldNodes.map((node) => ['', node, [MAIN]] as const),
  ])('%s %s', (version, node, args) => {
    const { status, stdout, stderr } = spawnSync(node, [...args, 'serve'], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^petstore: [^\n]+\n$/);
    expect(stderr).toContain(`this is Node ${version}`);
    expect(stderr).toContain('in a clone, run `npm start` or `npx petstore`');
    expect(stderr).toContain('nvm install 26');
  });
});
