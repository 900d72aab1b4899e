import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { copyTree } from '../../planted/copy-tree.ts';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';

it('copies a working tree in which a file was deleted, without what git ignores', () => {
  const [from, to] = [temporaryFolder(), temporaryFolder()];
  onTestFinished(() => {
    from.remove();
    to.remove();
  });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: from.path });
  git('init', '-q');
  for (const name of ['kept', 'deleted']) writeFileSync(join(from.path, name), name);
  git('add', '.');
  rmSync(join(from.path, 'deleted'));
  writeFileSync(join(from.path, '.gitignore'), 'ignored');
  for (const name of ['new', 'ignored']) writeFileSync(join(from.path, name), name);
  copyTree(from.path, to.path);
  expect(readdirSync(to.path).sort()).toEqual(['.gitignore', 'kept', 'new']);
});
