import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** Copies a working tree, without what git ignores. Git still lists a file that was deleted and not yet committed. */
export function copyTree(from: string, to: string): void {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: from });
  for (const file of new Set(list.toString().split('\0'))) {
    const source = join(from, file);
    if (file !== '' && existsSync(source)) cpSync(source, join(to, file), { recursive: true });
  }
}
