import { readFileSync } from 'node:fs';
import type { Arguments, Terminal } from '../command.ts';
import { fieldsIn, formatIn, isJson } from '../output.ts';

/** The version of the package, in the repository as in what is published. */
export function version(args: Arguments, terminal: Terminal): void {
  const format = formatIn(args, terminal);
  fieldsIn(args, ['version']);
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  terminal.stdout.write(`${isJson(format) ? JSON.stringify({ version }) : version}\n`);
}
