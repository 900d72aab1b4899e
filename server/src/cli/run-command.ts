// The `petstore` command line. Every command works on the configured database, beside a running service.

import { InvalidConfig, readConfig } from '../config.ts';
import { StorageUnavailable, UnusableDatabase } from '../datastore/failures.ts';
import { Refusal } from '../domain/errors.ts';
import { type Printer, UsageError } from './command.ts';
import {
  type CommandLine,
  checkUsage,
  commandsOf,
  findCommand,
  parseCommandLine,
} from './command-line.ts';
import { commands } from './commands.ts';
import { commandHelp, groupHelp, overview } from './help.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_CONFIG = 78;

/** Returns the exit code, or undefined while the service goes on running. */
export async function runCommand(args: string[]): Promise<number | undefined> {
  try {
    const line = parseCommandLine(args, commands);
    const help = helpFor(line);
    if (help !== undefined) {
      process.stdout.write(help);
      return 0;
    }
    return await run(line);
  } catch (err) {
    return explain(err);
  }
}

async function run({ words, options }: CommandLine): Promise<number | undefined> {
  const { command, rest } = findCommand(words, commands);
  const print: Printer = (value, lines) => {
    const text = options.json ? JSON.stringify(value) : lines.join('\n');
    process.stdout.write(`${text}\n`);
  };
  try {
    checkUsage(command, rest, options);
    const config = readConfig(process.env);
    return await command.run({ config, argument: rest[0] ?? '', options, print });
  } catch (err) {
    if (err instanceof UsageError) err.command = `${command.name} `;
    throw err;
  }
}

/** The help that was asked for, if any: `petstore`, `petstore help keys`, `petstore keys create --help`. */
function helpFor({ words, options }: CommandLine): string | undefined {
  const [first, ...others] = words;
  if (first !== undefined && first !== 'help' && !options.help) return undefined;
  const asked = first === 'help' ? others : words;
  if (asked.length === 0) return overview(commands);
  const group = commandsOf(asked[0]!, commands);
  if (asked.length === 1 && group.length > 0) return groupHelp(asked[0]!, group);
  return commandHelp(findCommand(asked, commands).command);
}

/** Prints why a command failed, in one line for each fault, and returns the exit code. */
function explain(err: unknown): number {
  const say = (text: string) =>
    process.stderr.write(`petstore: ${text.trim().replace(/\s*\n\s*/g, ' ')}\n`);
  if (err instanceof InvalidConfig) {
    for (const fault of err.faults) say(fault);
    return EXIT_CONFIG;
  }
  if (err instanceof UsageError) {
    say(`${err.message} (petstore ${err.command}--help)`);
    return EXIT_USAGE;
  }
  if (
    err instanceof Refusal ||
    err instanceof UnusableDatabase ||
    err instanceof StorageUnavailable
  ) {
    say(err.message);
    return EXIT_FAILED;
  }
  if (err instanceof Error && 'code' in err && err.code === 'EADDRINUSE') {
    say(`${err.message}: stop what listens there, or set PETSTORE_PORT`);
    return EXIT_FAILED;
  }
  // The operating system refused: a folder cannot be made, an address is not one of this machine.
  if (err instanceof Error && 'syscall' in err) {
    say(err.message);
    return EXIT_FAILED;
  }
  throw err;
}
