// What a command is that stands for no single operation.

import type { Arguments, Options, Terminal } from './command.ts';
import { operationCommands } from './commands.ts';
import { extraOptions, fieldOptions } from './operation/options.ts';

type Run = (args: Arguments, terminal: Terminal) => void | Promise<void>;

export interface Action {
  summary: string;
  usage: string;
  /** How many words may follow its name; none if absent. */
  wordsMax?: number;
  options?: Options;
  example: string;
  load(): Promise<Run>;
}

/** The options of the command of an operation: all, or those of some of its fields. */
export function optionsOf(operation: string, names?: readonly string[]): Options {
  const command = operationCommands.find((each) => each.operation === operation)!;
  if (!names) return { ...fieldOptions(command), ...extraOptions(command) };
  const fields = Object.entries(fieldOptions(command));
  return Object.fromEntries(fields.filter(([name]) => names.includes(name)));
}
