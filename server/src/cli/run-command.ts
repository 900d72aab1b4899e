// The `petstore` command line. `petstore server` works on the configured database, beside a running service. Every other
// word is a command over the API, which the client runs; it writes the help of both.

import { type Config, InvalidConfig, readConfig } from '../config.ts';
import { StorageUnavailable, UnusableDatabase } from '../datastore/failures.ts';
import { Refusal } from '../domain/errors.ts';
import { BrokenArchive } from '../lib/tar.ts';
import { UnusableLimiterStore } from '../limits/limiter.ts';
import { type Command, type Printer, UsageError } from './command.ts';
import { type CommandLine, checkUsage, findCommand, parseCommandLine } from './command-line.ts';
import { commands } from './commands.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_CONFIG = 78;

/** Returns the exit code, or undefined while the service goes on running. */
export async function runCommand(given: string[]): Promise<number | undefined> {
  const first = given.findIndex((arg) => !arg.startsWith('-'));
  // `petstore serve` is `petstore server start`.
  const args =
    given[first] === 'serve' ? given.with(first, 'start').toSpliced(first, 0, 'server') : given;
  if (args[first] !== 'server' || args.some((arg) => arg === '--help' || arg === '-h')) {
    return runOverApi(args);
  }
  try {
    return await run(parseCommandLine(args, commands));
  } catch (err) {
    return explain(err);
  }
}

async function runOverApi(args: readonly string[]): Promise<number> {
  const { processTerminal, runApiCommand } = await import('@petstore/client/cli');
  return runApiCommand(args, { ...processTerminal(), serverCommands: commands.map(knownCommand) });
}

/** A command as the client's help and completion know it. */
function knownCommand({ name, argument, summary, options, example }: Command) {
  const entries = Object.entries(options);
  const needed = entries.filter(([, { isRequired }]) => isRequired);
  const words = needed.map(([option, { value }]) => `--${option} ${value}`);
  const known = entries.map(([option, { value, description }]) => {
    const kind: 'value' | 'switch' = value === undefined ? 'switch' : 'value';
    return [option, { kind, description: sentence(description), ...(value && { value }) }] as const;
  });
  return {
    name,
    usage: [name, ...(argument ? [argument] : []), ...words].join(' '),
    summary,
    options: Object.fromEntries(known),
    example,
  };
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

async function run({ words, options }: CommandLine): Promise<number | undefined> {
  const { command, rest } = findCommand(words, commands);
  const print: Printer = (value, lines) => {
    const text = options.json ? JSON.stringify(value) : lines.join('\n');
    process.stdout.write(`${text}\n`);
  };
  try {
    checkUsage(command, rest, options);
    const config = command.readsSettings ? ({} as Config) : readConfig(process.env);
    const runLoaded = await command.load();
    return await runLoaded({ config, argument: rest[0] ?? '', options, print });
  } catch (err) {
    if (err instanceof UsageError) err.command = `${command.name} `;
    throw err;
  }
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
    err instanceof StorageUnavailable ||
    err instanceof UnusableLimiterStore ||
    err instanceof BrokenArchive
  ) {
    say(err.message);
    return EXIT_FAILED;
  }
  // The operating system refused: a folder cannot be made, an address is not one of this machine.
  if (err instanceof Error && 'syscall' in err) {
    const remedy = remedyOf(err as NodeJS.ErrnoException);
    say(remedy ? `${err.message}: ${remedy}` : err.message);
    return EXIT_FAILED;
  }
  throw err;
}

const UNWRITABLE = ['EACCES', 'EPERM', 'EROFS'];

/** What to do about a refusal of the operating system; undefined where its own words are all there is to say. */
export function remedyOf({ code = '', syscall }: NodeJS.ErrnoException): string | undefined {
  if (code === 'EADDRINUSE') return 'stop what listens there, or set PETSTORE_PORT';
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo')
    return 'set PETSTORE_HOST to an address of this machine';
  if (syscall === 'mkdir' && ['ENOTDIR', 'EEXIST'].includes(code))
    return 'a file is in the way; name another folder, or set PETSTORE_DATA_DIR to one';
  if (syscall === 'open' && code === 'EEXIST') return 'name a file that does not exist yet';
  if (!UNWRITABLE.includes(code)) return undefined;
  if (syscall === 'listen') {
    return 'this user may not listen there; set PETSTORE_PORT to 1024 or above';
  }
  return 'give this user write access, or set PETSTORE_DATA_DIR to another folder';
}
