import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import type { Datastore } from '../datastore/datastore.ts';

export interface Command {
  config: Config;
  store: Datastore;
  words: readonly string[];
  options: Options;
  print: Printer;
}

export type Options = ReturnType<typeof parseCommandLine>['values'];
/** Prints a value for machines, or lines for people. */
export type Printer = (value: unknown, lines: readonly string[]) => void;

/** The command line is not valid. The message says what to write instead. */
export class UsageError extends Error {}

export function parseCommandLine(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      json: { type: 'boolean' },
      workspace: { type: 'string' },
      name: { type: 'string' },
      scopes: { type: 'string' },
      'expires-at': { type: 'string' },
      plan: { type: 'string' },
      'per-minute': { type: 'string' },
      'per-day': { type: 'string' },
      repair: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
      from: { type: 'string' },
      to: { type: 'string' },
    },
  });
}
