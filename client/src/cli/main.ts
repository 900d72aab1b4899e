// The command line over the API. Data goes to standard output, everything else to standard error.

import { actions } from './actions.ts';
import {
  commonOptions,
  flagName,
  HelpAsked,
  type KnownCommand,
  type OperationCommand,
  type Options,
  parseArguments,
  refuseRepeats,
  type Terminal,
  UsageError,
  unknownFlag,
  WrongWords,
} from './command.ts';
import { commands, findCommand, knownCommands, presetOf } from './command-table.ts';
import { explain } from './explain.ts';
import { nearest } from './nearest.ts';

/** Verbs that mean the same elsewhere. */
const synonyms = [
  ['delete', 'remove', 'rm', 'cancel', 'revoke', 'lift'],
  ['create', 'add', 'new', 'place'],
  ['get', 'show', 'view', 'describe'],
  ['update', 'edit', 'change', 'set', 'modify'],
  ['list', 'ls', 'all'],
];

const actionNames = Object.keys(actions).map((name) => ({ name }));

/** Runs a command and returns its exit code. */
export async function runApiCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await dispatch(args, terminal);
    return 0;
  } catch (err) {
    // A signal that arrived while apiKeyCommand ran is delivered in the next tick.
    await new Promise(setImmediate);
    return explain(err, args, terminal);
  }
}

/** Signals that end a command, and its exit code then. SIGHUP is left alone: nohup ignores it. */
const endings = { SIGINT: 130, SIGTERM: 143 };
/** How long a command that is interrupted may take to end: it deletes half a file, and says what may have been done. */
const ENDING_MS = 2_000;

/** The streams of this process. A signal aborts what runs, and a second one ends the process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const interrupt = new AbortController();
  for (const [name, exitCode] of Object.entries(endings)) {
    process.once(name, () => {
      interrupt.abort(Object.assign(new Error('interrupted'), { exitCode }));
      setTimeout(() => process.exit(exitCode), ENDING_MS).unref();
    });
  }
  return { stdin, stdout, stderr, env, signal: interrupt.signal };
}

async function dispatch(given: readonly string[], terminal: Terminal): Promise<void> {
  if (given[0] === '__complete') {
    const { candidates } = await import('./completion.ts');
    const found = candidates(given.slice(1), terminal.serverCommands);
    terminal.stdout.write(found.map((word) => `${word}\n`).join(''));
    return;
  }
  const args = commandFirst(given);
  const action = findCommand(args, actionNames);
  const command = findCommand(args, commands);
  const isLonger = (command?.name.length ?? 0) > (action?.name.length ?? 0);
  if (command && isLonger) await runCommand(command, args, terminal);
  else if (action) await runAction(action.name, args, terminal);
  else terminal.stdout.write(await askedHelp(args, terminal));
}

/** Moves options that stand before a command, or between its words, behind its name. They are options of every command. */
function commandFirst(given: readonly string[]): readonly string[] {
  if (given[0] === '--version') return ['version', ...given.slice(1)];
  const words: string[] = [];
  const moved: string[] = [];
  let at = 0;
  while (at < given.length) {
    const arg = given[at]!;
    if (!arg.startsWith('-')) {
      const name = [...words, arg].join(' ');
      if (!knownCommands.some((each) => `${each.name} `.startsWith(`${name} `))) break;
      words.push(arg);
      at += 1;
      continue;
    }
    const name = flagName(arg);
    const option = Object.hasOwn(commonOptions, name) ? commonOptions[name] : undefined;
    if (!option && words.length > 0) break;
    if (!option) {
      const owner = knownCommands.find(({ options }) => Object.hasOwn(options, name));
      if (!owner) throw unknownFlag(name, Object.keys(commonOptions));
      throw new UsageError(
        `${arg} comes after its command, as in petstore ${owner.name} --${name}`,
      );
    }
    const length = option.kind === 'switch' || arg.includes('=') ? 1 : 2;
    if (at + length > given.length) throw new UsageError(`--${name} needs a value`);
    moved.push(...given.slice(at, at + length));
    at += length;
  }
  return [...words, ...moved, ...given.slice(at)];
}

/** `help orders place`, `orders --help`, or no word at all. A command finds its own --help. */
async function askedHelp(args: readonly string[], terminal: Terminal): Promise<string> {
  const isFlag = (arg: string) => arg === '--help' || arg === '-h';
  const words = args.filter((arg) => !arg.startsWith('-'));
  const isAsked = words.length === 0 || words[0] === 'help' || args.some(isFlag);
  const asked = words[0] === 'help' ? words.slice(1) : words;
  const { helpFor } = await import('./help.ts');
  const text = isAsked ? helpFor(asked, terminal) : undefined;
  if (text === undefined) throw unknownCommand(asked, terminal.serverCommands);
  return text;
}

async function runAction(name: string, args: readonly string[], terminal: Terminal): Promise<void> {
  const action = actions[name]!;
  const options: Options = { ...commonOptions, ...action.options };
  const isSwitch = (flag: string) =>
    Object.hasOwn(options, flag) ? options[flag]!.kind === 'switch' : undefined;
  const rest = args.slice(name.split(' ').length);
  const parsed = parseArguments(rest, isSwitch, Object.keys(options));
  if (parsed.flags.has('help')) {
    terminal.stdout.write(await askedHelp(['help', ...name.split(' ')], terminal));
    return;
  }
  refuseRepeats(parsed, options);
  try {
    if (parsed.words.length > (action.wordsMax ?? 0)) throw new WrongWords('too many arguments; ');
    const run = await action.load();
    await run(parsed, terminal);
  } catch (err) {
    if (!(err instanceof WrongWords)) throw err;
    throw new UsageError(`${err.message}usage: petstore ${action.usage} [options]`);
  }
}

async function runCommand(
  command: OperationCommand,
  args: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const rest = args.slice(command.name.split(' ').length);
  const { runOperation } = await import('./operation/run-operation.ts');
  try {
    await runOperation(command, [...presetOf(command), ...rest], terminal);
  } catch (err) {
    if (!(err instanceof HelpAsked)) throw err;
    terminal.stdout.write(await askedHelp(['help', ...command.name.split(' ')], terminal));
  }
}

/** Suggests a command of the same noun, or of the noun that was meant: another noun's would do something else. */
function unknownCommand(
  words: readonly string[],
  serverCommands: readonly KnownCommand[] | undefined,
): UsageError {
  const [first = '', second] = words;
  if (!serverCommands && (first === 'server' || first === 'serve')) {
    return new UsageError(
      'the commands of petstore server are in the package petstore, on the machine of the service; this is the client alone',
    );
  }
  const names = [...knownCommands, ...(serverCommands ?? [])].map(({ name }) => name);
  const nouns = [...new Set(names.map((name) => name.split(' ')[0]!))];
  const verbsOf = (noun: string) =>
    names.filter((name) => name.startsWith(`${noun} `)).map((name) => name.slice(noun.length + 1));
  const verbs = verbsOf(first);
  if (verbs.length > 0 && second === undefined) {
    return new UsageError(`${first} needs one of ${verbs.join(', ')}`);
  }
  const written = verbs.length > 0 ? `${first} ${second}` : first;
  const moved = verbs.length > 0 ? undefined : movedCommand(words, names);
  const noun = verbs.length > 0 ? first : nearest(first, nouns);
  const verb = noun && second !== undefined ? nearestVerb(noun, second, verbsOf(noun)) : undefined;
  const near = moved ?? (verb ? `${noun} ${verb}` : verbs.length > 0 ? undefined : noun);
  const hint = near
    ? `; did you mean \`petstore ${near}\`?`
    : `; petstore help${verbs.length > 0 ? ` ${first}` : ''} lists those there are`;
  return new UsageError(`there is no command ${written}${hint}`);
}

/**
 * `petstore migrate` is a command of the server, `petstore account keys list` has a word too many, and `petstore import`
 * lacks its noun, which is the only one that has the verb.
 */
function movedCommand(words: readonly string[], names: readonly string[]): string | undefined {
  const all = names.map((name) => ({ name }));
  const found = findCommand(['server', ...words], all) ?? findCommand(words.slice(1), all);
  const withVerb = names.filter((name) => name.split(' ').slice(1).join(' ') === words[0]);
  return found?.name ?? (withVerb.length === 1 ? withVerb[0] : undefined);
}

/** What other programs call it, then what is written alike. */
function nearestVerb(noun: string, written: string, verbs: readonly string[]): string | undefined {
  const same = synonyms.find((group) => group.includes(written)) ?? [];
  const names = verbs.map((verb) => `${noun} ${verb}`);
  const alike = nearest(`${noun} ${written}`, names)?.slice(noun.length + 1);
  return verbs.find((verb) => same.includes(verb)) ?? alike;
}
