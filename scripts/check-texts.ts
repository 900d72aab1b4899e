// Checks all texts of the repository: their words, the length of files and the size of folders.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { findCrowdedFolders, findLength } from './sizes.ts';
import { findWords } from './words.ts';

const TEXT = /\.(ts|tsx|mjs|js|lua|c|sql|md|yaml|css|html)$|(^|\/)Dockerfile$/;
/** The lists of words themselves, and what is generated from the operations. */
const NOT_CHECKED = [
  'scripts/words.ts',
  'scripts/test/check-texts.test.ts',
  'client/src/contract.ts',
  'client/src/error-codes.ts',
  'client/src/cli/commands.ts',
  'server/src/contract/code-samples.ts',
];
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z']).toString();
const files = listed.split('\0').filter((file) => file !== '' && existsSync(file));
const texts = files.filter((file) => TEXT.test(file) && !NOT_CHECKED.includes(file));

const faults = texts.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  const words = findWords(file, text);
  const length = findLength(file, text);
  return length ? [...words, length] : words;
});
faults.push(...findCrowdedFolders(files));

if (faults.length > 0) console.log(faults.join('\n'));
process.exitCode = faults.length > 0 ? 1 : 0;
