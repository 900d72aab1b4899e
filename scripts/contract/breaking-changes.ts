// Compares openapi/petstore.json with the last committed contract and with the oldest one whose clients are supported, and
// fails if a client of either would break.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { breakingChanges } from './compare-operations.ts';
import type { Contract } from './document.ts';

const FILE = 'openapi/petstore.json';
/** The oldest contract whose generated clients must work. It moves on with a major version alone. */
const SUPPORTED_SINCE = '05a83d6d7aa57a93ecc87801c6e6566f8a49a785';

interface Earlier {
  commit: string;
  text: string;
}

/** The last committed contract that differs from the one in the folder, if there is one. */
export function earlierContract(root: string): Earlier | undefined {
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

/** The contract of a commit, if this clone has it. */
export function contractOf(root: string, commit: string): Earlier | undefined {
  const text = git(root, ['show', `${commit}:${FILE}`]);
  return text === undefined ? undefined : { commit, text };
}

function main(): void {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const supported = contractOf(root, SUPPORTED_SINCE);
  if (!supported) console.log(`this clone lacks commit ${SUPPORTED_SINCE}, so it is not compared`);
  const earlier = [earlierContract(root), supported].filter((found) => found !== undefined);
  if (earlier.length === 0) console.log('there is no earlier contract to compare with');
  const present = JSON.parse(readFileSync(`${root}/${FILE}`, 'utf8')) as Contract;
  for (const { commit, text } of earlier) {
    const changes = breakingChanges(JSON.parse(text) as Contract, present);
    for (const line of changes) console.error(line);
    console.error(`${changes.length} breaking since commit ${commit.slice(0, 10)}`);
    if (changes.length > 0) process.exitCode = 1;
  }
}

if (import.meta.main) main();
