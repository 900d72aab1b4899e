// The `petstore` command line. Commands on this machine work on the configured database, beside a running service.
// Every other word is a command over the API, which the client runs.

import { InvalidConfig, readConfig } from '../config.ts';
import { StorageUnavailable, UnusableDatabase } from '../datastore/failures.ts';
import { Refusal } from '../domain/errors.ts';
import { UnusableLimiterStore } from '../limits/limiter.ts';
import { type Printer, UsageError } from './command.ts';
import {
  type CommandLine,
  checkUsage,
  commandsOf,
  findCommand,
  parseCommandLine,
  unknownCommand,
} from './command-line.ts';
import { commands } from './commands.ts';
import { commandHelp, groupHelp, overview } from './help.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_CONFIG = 78;

/** Returns the exit code, or undefined while the service goes on running. */
export async function runCommand(given: string[]): Promise<number | undefined> {
  // `petstore --help keys` is `petstore help keys`.
  const args = /^(-h|--help)$/.test(given[0] ?? '') ? ['help', ...given.slice(1)] : given;
  try {
    checkOrder(args);
    if (isForApi(args)) return await runOverApi(args);
    const line = parseCommandLine(args, commands);
    const help = await helpFor(line);
    if (help !== undefined) {
      process.stdout.write(help);
      return 0;
    }
    return await run(line);
  } catch (err) {
    return explain(err);
  }
}

/** Whether the first word, or the one after `help`, names no command on this machine. */
function isForApi(args: readonly string[]): boolean {
  const word = args[0] === 'help' ? args[1] : args[0];
  if (word === undefined || word.startsWith('-')) return false;
  return !isOnMachine(word);
}

/** Whether a command on this machine begins with this word. */
function isOnMachine(word: string): boolean {
  return commands.some(({ name }) => name.split(' ')[0] === word);
}

/** Commands on this machine take their options anywhere, those over the API only after their name. */
function checkOrder(args: readonly string[]): void {
  const isOptionFirst = args[0]?.startsWith('-') && args.some((arg) => !arg.startsWith('-'));
  if (isOptionFirst && !args.some(isOnMachine)) {
    throw new UsageError('options come after the command, as in petstore pets list --json');
  }
}

async function runOverApi(args: readonly string[]): Promise<number> {
  const { firstWords, isApiCommand, processTerminal, runApiCommand } = await import(
    '@petstore/client/cli'
  );
  const words = args[0] === 'help' ? args.slice(1) : args;
  if (!isApiCommand(words[0]!)) throw unknownCommand(words, commands, firstWords);
  const machineCommands = commands.map(({ name, summary, options }) => {
    const flags = Object.keys(options).map((option) => ({ name: option, type: 'string' as const }));
    return { name, summary, flags };
  });
  return runApiCommand(args, { ...processTerminal(), machineCommands });
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
    const runLoaded = await command.load();
    return await runLoaded({ config, argument: rest[0] ?? '', options, print });
  } catch (err) {
    if (err instanceof UsageError) err.command = `${command.name} `;
    throw err;
  }
}

/** The help that was asked for, if any: `petstore`, `petstore help keys`, `petstore keys create --help`. */
async function helpFor({ words, options }: CommandLine): Promise<string | undefined> {
  const [first, ...others] = words;
  if (first !== undefined && first !== 'help' && !options.help) return undefined;
  const asked = first === 'help' ? others : words;
  if (asked.length === 0) {
    const { apiOverview } = await import('@petstore/client/cli');
    return overview(commands, await apiOverview());
  }
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
    err instanceof StorageUnavailable ||
    err instanceof UnusableLimiterStore
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
