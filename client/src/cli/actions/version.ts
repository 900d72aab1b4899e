import { readFileSync } from 'node:fs';
import type { Arguments, Terminal } from '../command.ts';

/** The version of the package, in the repository as in what is published. */
export function version({ flags }: Arguments, { stdout }: Terminal): void {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  stdout.write(`${flags.has('json') ? JSON.stringify({ version }) : version}\n`);
}
