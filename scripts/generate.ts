// Writes the generated files. With --check it writes nothing and fails if one is stale.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clientCommandsText } from './client-commands.ts';
import { clientContractText } from './client-contract.ts';
import { clientErrorCodesText } from './client-error-codes.ts';
import { codeSamplesText } from './code-samples.ts';
import {
  contractText,
  errorsText,
  eventTypesText,
  operationsText,
  SETTINGS_BEGIN,
  SETTINGS_END,
  settingsText,
  TYPES_BEGIN,
  TYPES_END,
} from './generated-texts.ts';

/** Each generated file, and its new text, given the current one. */
const generated: Record<string, (present: string) => string> = {
  'openapi/petstore.json': contractText,
  'server/src/contract/code-samples.ts': codeSamplesText,
  'openapi/operations.txt': operationsText,
  'client/src/contract.ts': clientContractText,
  'client/src/error-codes.ts': clientErrorCodesText,
  'client/src/cli/commands.ts': clientCommandsText,
  'docs/errors.md': errorsText,
  'docs/running.md': (present) =>
    withTable(present, settingsText(), { begin: SETTINGS_BEGIN, end: SETTINGS_END }),
  'docs/events.md': (present) =>
    withTable(present, eventTypesText(), { begin: TYPES_BEGIN, end: TYPES_END }),
};

/** The stale files under this folder, with their new text. */
export function staleFiles(root: string): Map<string, string> {
  const stale = new Map<string, string>();
  for (const [path, wantedFrom] of Object.entries(generated)) {
    const file = join(root, path);
    const present = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const wanted = wantedFrom(present);
    if (wanted !== present) stale.set(path, wanted);
  }
  return stale;
}

/** The text with the table between the two lines. */
function withTable(present: string, table: string, lines: { begin: string; end: string }): string {
  const begin = present.indexOf(lines.begin);
  const end = present.indexOf(lines.end);
  if (begin < 0 || end < begin) {
    throw new Error(`a document with a generated table needs ${lines.begin} and ${lines.end}`);
  }
  const head = present.slice(0, begin + lines.begin.length);
  return `${head}\n\n${table}\n${present.slice(end)}`;
}

function main(): void {
  const { values } = parseArgs({
    options: { check: { type: 'boolean' }, root: { type: 'string' } },
  });
  const root = values.root ?? fileURLToPath(new URL('..', import.meta.url));
  const stale = staleFiles(root);
  if (values.check) {
    for (const path of stale.keys()) console.error(`${path} is stale: run npm run generate`);
    if (stale.size > 0) process.exitCode = 1;
    return;
  }
  write(root, stale);
  for (const path of stale.keys()) console.log(`wrote ${path}`);
  if (stale.size === 0) console.log('everything was up to date');
}

export function write(root: string, texts: ReadonlyMap<string, string>): void {
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

if (import.meta.main) main();
