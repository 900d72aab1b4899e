// Compares openapi/petstore.json with the last committed contract, and fails if a client of the old one would break.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { breakingChanges } from './compare-operations.ts';
import type { Contract } from './document.ts';

const FILE = 'openapi/petstore.json';

/** The last committed contract that differs from the one in the folder, if there is one. */
export function earlierContract(root: string): { commit: string; text: string } | undefined {
  const present = readFileSync(`${root}/${FILE}`, 'utf8');
  for (const commit of commitsOf(root)) {
    const text = git(root, ['show', `${commit}:${FILE}`]);
    if (text !== undefined && text !== present) return { commit, text };
  }
  return undefined;
}

function commitsOf(root: string): string[] {
  return (git(root, ['log', '-n', '2', '--format=%H', '--', FILE]) ?? '')
    .split('\n')
    .filter(Boolean);
}

/** The output of git, or undefined if there is no repository or no such file. */
function git(root: string, args: string[]): string | undefined {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, stdio });
  } catch {
    return undefined;
  }
}

function main(): void {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const earlier = earlierContract(root);
  if (!earlier) {
    console.log('there is no earlier contract to compare with');
    return;
  }
  const present = JSON.parse(readFileSync(`${root}/${FILE}`, 'utf8')) as Contract;
  const changes = breakingChanges(JSON.parse(earlier.text) as Contract, present);
  for (const line of changes) console.error(line);
  console.error(`${changes.length} breaking since commit ${earlier.commit.slice(0, 10)}`);
  if (changes.length > 0) process.exitCode = 1;
}

if (import.meta.main) main();
