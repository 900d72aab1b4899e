// Checks all texts of the repository: their words, the length of files and the size of folders.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { findCrowdedFolders, findLength, folderOf } from './sizes.ts';
import { findWords } from './words.ts';

const TEXT = /\.(ts|tsx|mjs|js|lua|c|sql|md|yaml|css|html)$|(^|\/)Dockerfile$/;
/** The lists of words themselves, and what is generated from npm packages. */
const NOT_CHECKED = ['scripts/words.ts', 'scripts/test/check-texts.test.ts'];
/** What does not pass yet. Remove an entry with its last fault. */
const NOT_YET = {
  words: [
    'server/src/datastore/events.ts',
    'server/src/http/response/event-stream.ts',
    'server/src/services/emit.ts',
    'server/src/services/event-feed.ts',
    'server/src/services/event-hub.ts',
    'server/src/services/pets.ts',
    'server/test/datastore/suite-events.ts',
  ],
  length: ['server/src/app.ts', 'server/test/operations/every-operation.test.ts'],
  folders: ['server/src/services/'],
};

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z']).toString();
const files = listed.split('\0').filter((file) => file !== '' && existsSync(file));
const texts = files.filter((file) => TEXT.test(file) && !NOT_CHECKED.includes(file));

const faults = texts.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  const words = NOT_YET.words.includes(file) ? [] : findWords(file, text);
  const length = NOT_YET.length.includes(file) ? undefined : findLength(file, text);
  return length ? [...words, length] : words;
});
const checked = files.filter((file) => !NOT_YET.folders.includes(folderOf(file)));
faults.push(...findCrowdedFolders(checked));

if (faults.length > 0) console.log(faults.join('\n'));
process.exitCode = faults.length > 0 ? 1 : 0;
