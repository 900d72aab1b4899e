// npm run planted [-- words of a name]: puts each bug into a copy of the working tree and shows which test catches it.
// With --check it only looks whether every bug can be planted.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '../scripts/console-stamp.mjs';
import { temporaryFolder } from '../server/test/support/temporary-folder.ts';
import type { Bug } from './bug.ts';
import { bugs } from './bugs.ts';
import { copyTree } from './copy-tree.ts';
import { type Outcome, outcomeOf, type Report } from './outcome.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOUND_MS = 900_000;
const BUG_MS = 180_000;

const fileOf = (test: string) => (test.startsWith('console/') ? test : `server/test/${test}`);

interface Effort {
  timeout: number;
  /** Shows each test file that has ended. */
  isShown?: boolean;
}

function runTests(
  copy: string,
  tests: readonly string[],
  { timeout, isShown = false }: Effort,
): Outcome {
  const report = join(copy, 'planted-report.json');
  rmSync(report, { force: true });
  const node = process.execPath;
  if (tests.some((test) => test.startsWith('console/')) && buildConsole(node, copy) === 'failed') {
    return { kind: 'broken off', why: 'the console cannot be built' };
  }
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const run = spawnSync(
    node,
    [
      vitest,
      'run',
      '--config',
      'planted/vitest.config.ts',
      '--bail',
      '1',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(isShown ? ['--reporter=default'] : []),
      ...tests.map(fileOf),
    ],
    { cwd: copy, timeout, stdio: isShown ? ['ignore', process.stderr.fd, 'inherit'] : 'ignore' },
  );
  const isTimedOut = (run.error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT';
  return outcomeOf({
    status: run.status,
    isTimedOut,
    report: readReport(report),
    folder: `${copy}/`,
  });
}

function readReport(file: string): Report | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
}

function plant(copy: string, { file, find, replace, tests }: Bug): Outcome {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  if (before.split(find).length !== 2) {
    return { kind: 'broken off', why: `its text is not in ${file} exactly once` };
  }
  writeFileSync(
    path,
    before.replace(find, () => replace),
  );
  try {
    return runTests(copy, tests, { timeout: BUG_MS });
  } finally {
    writeFileSync(path, before);
  }
}

/** The bugs that cannot be planted: the code or the tests have moved. */
function misplaced(): string[] {
  return bugs.flatMap(({ name, file, find, tests }) => {
    const code = join(root, file);
    const places = existsSync(code) ? readFileSync(code, 'utf8').split(find).length - 1 : 0;
    const missing = tests.filter((test) => !existsSync(join(root, fileOf(test))));
    return [
      ...(places === 1 ? [] : [`${name}: its text is ${places} times in ${file}, not once`]),
      ...missing.map((test) => `${name}: there is no test ${test}`),
    ];
  });
}

function plantAll(chosen: readonly Bug[]): void {
  const folder = temporaryFolder('petstore-planted-');
  const copy = folder.path;
  try {
    copyTree(root, copy);
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const all = [...new Set(chosen.flatMap(({ tests }) => tests))];
    console.error(`${all.length} test files without any bug, then ${chosen.length} bugs …`);
    const sound = runTests(copy, all, { timeout: SOUND_MS, isShown: true });
    if (sound.kind !== 'passed') throw new Error(`without any bug: ${sound.why}`);
    console.log('| planted bug | caught by |\n|---|---|');
    let caught = 0;
    for (const bug of chosen) {
      const { kind, why } = plant(copy, bug);
      if (kind === 'caught') caught += 1;
      const cells = { passed: '**nothing**', caught: why, 'broken off': `**not judged** ${why}` };
      console.log(`| ${bug.name} | ${cells[kind]} |`);
    }
    console.log(`\n${caught} of ${chosen.length} caught`);
    process.exitCode = caught < chosen.length ? 1 : 0;
  } finally {
    folder.remove();
  }
}

const argument = process.argv.slice(2).join(' ');
if (argument === '--check') {
  const faults = misplaced();
  if (faults.length > 0) console.log(faults.join('\n'));
  process.exitCode = faults.length > 0 ? 1 : 0;
} else {
  const chosen = bugs.filter(({ name }) => name.includes(argument));
  if (chosen.length > 0) {
    plantAll(chosen);
  } else {
    console.error(`no planted bug has a name that contains "${argument}"`);
    process.exitCode = 2;
  }
}
