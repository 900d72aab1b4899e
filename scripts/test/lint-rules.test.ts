// Breaks lint rules that guard the console on purpose. A rule that is off does not see its violation.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

it.each([
  [
    'noDangerouslySetInnerHtml',
    'export const Bad = () => <p dangerouslySetInnerHTML={{ __html: "x" }} />;',
  ],
  ['noGlobalEval', 'export const bad = (text: string) => eval(text);'],
])('%s is on', (rule, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-lint-'));
  copyFileSync(join(root, 'biome.json'), join(folder, 'biome.json'));
  writeFileSync(join(folder, 'planted.tsx'), `${code}\n`);
  const biome = join(root, 'node_modules/.bin/biome');
  const { status, stdout, stderr } = spawnSync(biome, ['lint', '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  expect(`${stdout}${stderr}`).toContain(rule);
  expect(status).not.toBe(0);
});
