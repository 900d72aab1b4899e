// npm run check: every check of the code that a program can do, except the tests.

import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outcomeText, runSteps, type Step } from './run-steps.ts';

const CONTRACT = 'openapi/petstore.json';

// The slowest step comes first, so that the others run beside it.
const steps: readonly Step[] = [
  {
    name: 'types',
    command: ['tsc', '-p', '.'],
    remedy: 'fix the types; tsc -p . runs this step alone',
  },
  {
    name: 'types of the console',
    command: ['tsc', '-p', 'console'],
    remedy: 'fix the types; tsc -p console runs this step alone',
  },
  {
    name: 'format and lint',
    command: ['biome', 'check', '--error-on-warnings', '.'],
    remedy: 'npm run format fixes what can be fixed automatically',
  },
  {
    name: 'layers',
    command: ['depcruise', 'server/src', 'client/src', 'console/src', '--output-type', 'err-long'],
    remedy: 'each rule above says what to do instead; they are in .dependency-cruiser.mjs',
  },
  {
    name: 'words and sizes',
    command: ['node', 'scripts/check-texts.ts'],
    remedy: 'the words are in scripts/words.ts, the limits in scripts/sizes.ts',
  },
  {
    name: 'planted bugs',
    command: ['node', 'planted/run.ts', '--check'],
    remedy: 'the code of a planted bug has changed: update its find and replace in planted/bugs.ts',
  },
  {
    name: 'generated files',
    command: ['node', 'scripts/generate.ts', '--check'],
    remedy: 'npm run generate, then commit what it wrote',
  },
  {
    name: 'contract lint',
    command: ['redocly', 'lint', CONTRACT, '--lint-config', 'error', '--format', 'stylish'],
    remedy: 'change the operation or server/src/contract/openapi.ts, then npm run generate',
  },
  {
    name: 'breaking changes',
    command: ['node', 'scripts/contract/breaking-changes.ts'],
    remedy:
      'add instead of changing, and deprecate what shall go; only experimental operations may break',
  },
];

const root = fileURLToPath(new URL('..', import.meta.url));
const env = {
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
  // A check makes no request to the outside.
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};

const outcomes = await runSteps(steps, 2, { cwd: root, env }, (outcome) => {
  console.log(outcomeText(outcome));
});
const failed = outcomes.filter(({ passed }) => !passed).map(({ step }) => step.name);
console.log(failed.length > 0 ? `failed: ${failed.join(', ')}` : 'everything is in order');
process.exitCode = failed.length > 0 ? 1 : 0;
