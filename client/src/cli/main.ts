// The command line over the API. Data goes to standard output, everything else to standard error.

import { actionCommands, actions, wrongUsage } from './actions.ts';
import {
  commonFlags,
  type FlagKinds,
  type KnownCommand,
  type OperationCommand,
  parseArguments,
  refuseRepeats,
  type Terminal,
  UsageError,
} from './command.ts';
import { commands, findCommand, presetOf } from './command-table.ts';
import { explain } from './explain.ts';
import { nearest } from './nearest.ts';

const allCommands: readonly Pick<KnownCommand, 'name'>[] = [...commands, ...actionCommands];

/** Whether the first word names a command of this half. */
export function isApiCommand(word: string): boolean {
  return word === '__complete' || firstWords.includes(word);
}

/** The words that a first word can be. */
export const firstWords: readonly string[] = [
  ...new Set(allCommands.map(({ name }) => name.split(' ')[0]!)),
];

/** Runs a command and returns its exit code. */
export async function runApiCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await dispatch(args, terminal);
    return 0;
  } catch (err) {
    // A signal that arrived while apiKeyCommand ran is delivered in the next tick.
    await new Promise(setImmediate);
    return await explain(err, args, terminal);
  }
}

/** The block of the help about this half. */
export async function apiOverview(): Promise<string> {
  return (await import('./help.ts')).overview();
}

/** The streams of this process. Ctrl-C aborts the signal, and a second one ends the process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
  return { stdin, stdout, stderr, env, signal: interrupt.signal };
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<void> {
  const [first = ''] = args;
  if (first === '__complete') {
    const { candidates } = await import('./completion.ts');
    const found = candidates(args.slice(1), terminal.machineCommands);
    terminal.stdout.write(found.map((word) => `${word}\n`).join(''));
    return;
  }
  const action = findCommand(args, actionCommands);
  const command = findCommand(args, commands);
  if (action) await runAction(action.name, args, terminal);
  else if (command) await runCommand(command, args, terminal);
  else terminal.stdout.write(await askedHelp(args));
}

/** `help orders place`, `--help orders place`, `orders --help`, or no word at all. A command finds its own --help. */
async function askedHelp(args: readonly string[]): Promise<string> {
  const flagAt = args.findIndex((arg) => arg === '--help' || arg === '-h');
  const isFirst = args[0] === 'help' || flagAt === 0;
  if (args.length > 0 && !isFirst && flagAt < 0) throw unknownCommand(args);
  const { helpFor } = await import('./help.ts');
  const words = isFirst ? args.slice(1) : args.slice(0, Math.max(0, flagAt));
  const named = findCommand(words, allCommands);
  const text = helpFor(named ? named.name.split(' ') : words);
  if (text === undefined) throw unknownCommand(words);
  return text;
}

async function runAction(name: string, args: readonly string[], terminal: Terminal): Promise<void> {
  const action = actions[name]!;
  const flags: FlagKinds = { ...commonFlags, ...action.flags };
  const isSwitch = (flag: string) =>
    Object.hasOwn(flags, flag) ? flags[flag] === 'switch' : undefined;
  const rest = args.slice(name.split(' ').length);
  const parsed = parseArguments(rest, isSwitch, Object.keys(flags));
  if (parsed.flags.has('help')) {
    terminal.stdout.write(await askedHelp(['help', ...name.split(' ')]));
    return;
  }
  refuseRepeats(parsed, flags);
  if (parsed.words.length > (action.wordsMax ?? 0)) {
    throw wrongUsage(name);
  }
  const run = await action.load();
  await run(parsed, terminal);
}

async function runCommand(
  command: OperationCommand,
  args: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const rest = args.slice(command.name.split(' ').length);
  const { runOperation } = await import('./run-operation.ts');
  await runOperation(command, [...presetOf(command), ...rest], terminal);
}

function unknownCommand(args: readonly string[]): UsageError {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const [first = ''] = words;
  const named = findCommand(words, allCommands);
  if (args[0]?.startsWith('-') || named) {
    const name = named?.name ?? 'pets list';
    return new UsageError(`options come after the command, as in petstore ${name} --json`);
  }
  if (!firstWords.includes(first)) {
    const near = nearest(first, firstWords);
    return new UsageError(
      `there is no command ${first}${near ? `; did you mean \`petstore ${near}\`?` : ''}`,
    );
  }
  const names = allCommands.map(({ name }) => name).filter((name) => name.startsWith(`${first} `));
  const group = names.filter((name) => name.startsWith(`${words.slice(0, 2).join(' ')} `));
  const isGroup = words.length === 1 || (words.length === 2 && group.length > 0);
  if (isGroup) {
    const verbs = (words.length === 1 ? names : group).map((name) =>
      name.split(' ').slice(words.length).join(' '),
    );
    return new UsageError(`${words.join(' ')} needs one of ${verbs.join(', ')}`);
  }
  const written = words.slice(0, group.length > 0 ? 3 : 2).join(' ');
  const near = nearest(written, names);
  return new UsageError(
    `there is no command ${written}${near ? `; did you mean \`petstore ${near}\`?` : `; petstore help ${first} lists those there are`}`,
  );
}
