// The command line over the API. Data goes to standard output, everything else to standard error.

import {
  AuthenticationError,
  ConnectionError,
  PermissionError,
  PetstoreError,
  RateLimitError,
  ServerError,
} from '../errors.ts';
import { api } from './api.ts';
import {
  type Arguments,
  commonFlags,
  nearest,
  type OperationCommand,
  parseArguments,
  SettingsError,
  type Terminal,
  UsageError,
} from './command.ts';
import { operationCommands } from './commands.ts';
import { candidates, completion } from './completion.ts';
import { demo } from './demo.ts';
import { API_HELP, commandHelp, otherCommands } from './help.ts';
import { login, logout, profiles, whoami } from './login.ts';
import { runOperation } from './run-operation.ts';

type Action = (args: Arguments, terminal: Terminal) => void | Promise<void>;

const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;
const EXIT_KEY = 4;
const EXIT_LIMITED = 5;
const EXIT_UNREACHABLE = 6;
const EXIT_SETTINGS = 78;
const EXIT_INTERRUPTED = 130;

const actions: Record<string, { run: Action; flags?: Record<string, 'value' | 'switch'> }> = {
  api: { run: api, flags: { data: 'value', include: 'switch', yes: 'switch' } },
  login: { run: login, flags: { 'base-url': 'value' } },
  logout: { run: logout },
  whoami: { run: whoami },
  profiles: { run: profiles },
  demo: { run: demo, flags: { pets: 'value' } },
  completion: { run: completion },
};

const fulfil: OperationCommand = {
  ...operationCommands.find(({ operation }) => operation === 'updateOrder')!,
  name: 'orders complete',
  summary: 'Fulfil an order',
  example: 'petstore orders complete 1',
};
const deprecated: OperationCommand = {
  ...operationCommands.find(({ operation }) => operation === 'getUsage')!,
  name: 'account deprecated',
  summary: 'The calls of operations that are on their way out',
  columns: ['operationId', 'keyId', 'calls', 'lastCalledAt', 'sunset', 'successor'],
  pick: 'deprecated',
  example: 'petstore account deprecated',
};
const commands = [...operationCommands, fulfil, deprecated];

/** Whether the first word names a command of this half. */
export function isApiCommand(word: string): boolean {
  return (
    word === '__complete' ||
    word in actions ||
    commands.some(({ name }) => name.split(' ')[0] === word)
  );
}

/** The words that a first word can be. */
export const firstWords: readonly string[] = [
  ...new Set([...commands.map(({ name }) => name.split(' ')[0]!), ...Object.keys(actions)]),
];

/** Runs a command and returns its exit code. */
export async function runApiCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await dispatch(args, terminal);
    return 0;
  } catch (err) {
    return explain(err, args, terminal);
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<void> {
  const [first = ''] = args;
  if (first === '__complete') {
    terminal.stdout.write(
      candidates(args.slice(1))
        .map((word) => `${word}\n`)
        .join(''),
    );
    return;
  }
  const action = actions[first];
  if (action) {
    const flags: Record<string, 'value' | 'switch'> = { ...commonFlags, ...action.flags };
    const isSwitch = (name: string) => (name in flags ? flags[name] === 'switch' : undefined);
    const parsed = parseArguments(args.slice(1), isSwitch, Object.keys(flags));
    if (parsed.flags.has('help'))
      terminal.stdout.write(`petstore ${first}: ${otherCommands[first]}\n`);
    else await action.run(parsed, terminal);
    return;
  }
  const command = commandOf(args);
  const rest = args.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) terminal.stdout.write(commandHelp(command));
  else
    await runOperation(
      command,
      command === fulfil ? [...rest, '--complete', 'true'] : rest,
      terminal,
    );
}

/** The command with the longest name that the arguments start with. */
function commandOf(args: readonly string[]): OperationCommand {
  const text = args.join(' ');
  const matching = commands.filter(({ name }) => text === name || text.startsWith(`${name} `));
  const [best] = matching.sort((a, b) => b.name.length - a.name.length);
  if (best) return best;
  const [group, verb = ''] = args;
  const ofGroup = commands.filter(({ name }) => name.split(' ')[0] === group);
  const verbs = ofGroup.map(({ name }) => name.slice(group!.length + 1));
  const near = nearest(verb, verbs);
  const hint = near
    ? `did you mean petstore ${group} ${near}?`
    : `petstore ${group}: ${verbs.join(', ')}`;
  throw new UsageError(verb ? `unknown command ${group} ${verb}; ${hint}` : hint);
}

export function apiHelp(words: readonly string[]): string {
  const command =
    words.length > 0 ? commands.find(({ name }) => name === words.join(' ')) : undefined;
  return command ? commandHelp(command) : API_HELP;
}

function explain(err: unknown, args: readonly string[], { stderr, signal }: Terminal): number {
  if (signal.aborted) return EXIT_INTERRUPTED;
  if (err instanceof UsageError || err instanceof SettingsError) {
    stderr.write(`petstore: ${err.message}\n`);
    return err instanceof UsageError ? EXIT_USAGE : EXIT_SETTINGS;
  }
  if (!(err instanceof PetstoreError)) throw err;
  const isJson = args.includes('--json') || args.join(' ').includes('-o json');
  stderr.write(isJson ? `${errorText(err)}\n` : `petstore: ${err.message}${detailText(err)}\n`);
  return exitCodeOf(err);
}

function errorText({ code, message, status, requestId, details }: PetstoreError): string {
  return JSON.stringify({ code, message, status, requestId, ...(details && { details }) });
}

function detailText({ code, requestId }: PetstoreError): string {
  return ` (${code}${requestId ? `, request ${requestId}` : ''})`;
}

function exitCodeOf(err: PetstoreError): number {
  if (err instanceof AuthenticationError || err instanceof PermissionError) return EXIT_KEY;
  if (err instanceof RateLimitError) return EXIT_LIMITED;
  if (err instanceof ConnectionError || err instanceof ServerError) return EXIT_UNREACHABLE;
  return EXIT_REFUSED;
}
