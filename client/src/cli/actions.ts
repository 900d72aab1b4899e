// The commands that stand for no single operation. Their code is imported when one of them runs.

import {
  type Arguments,
  type FlagKinds,
  type KnownCommand,
  type Terminal,
  UsageError,
} from './command.ts';

type Run = (args: Arguments, terminal: Terminal) => void | Promise<void>;

interface Action {
  summary: string;
  usage: string;
  /** How many words may follow its name; none if absent. */
  wordsMax?: number;
  flags?: FlagKinds;
  /** What a flag may be. */
  choices?: Readonly<Record<string, readonly string[]>>;
  load(): Promise<Run>;
}

export const actions: Readonly<Record<string, Action>> = {
  api: {
    summary: 'Send any request',
    usage: 'api GET|POST|PATCH|DELETE /PATH [--data JSON|@FILE|-] [-i] [--yes]',
    wordsMax: 2,
    flags: { data: 'value', include: 'switch', yes: 'switch' },
    load: async () => (await import('./actions/api.ts')).api,
  },
  login: {
    summary: 'Check a key and store it in a profile',
    usage: 'login [--profile NAME] [--base-url URL]',
    flags: { 'base-url': 'value' },
    load: async () => (await import('./actions/login.ts')).login,
  },
  logout: {
    summary: 'Remove a profile and its key',
    usage: 'logout [--profile NAME]',
    load: async () => (await import('./actions/login.ts')).logout,
  },
  whoami: {
    summary: 'Show the store, the key and what is left of its limits',
    usage: 'whoami [--json]',
    load: async () => (await import('./actions/login.ts')).whoami,
  },
  profiles: {
    summary: 'List, choose or remove profiles',
    usage: 'profiles [list | use NAME | remove NAME]',
    wordsMax: 2,
    load: async () => (await import('./actions/login.ts')).profiles,
  },
  listen: {
    summary: 'Print events as they happen, or forward them to a URL',
    usage: 'listen [--forward-to URL] [--events TYPES] [--from CURSOR] [--print-secret]',
    flags: { 'forward-to': 'value', events: 'values', from: 'value', 'print-secret': 'switch' },
    load: async () => (await import('./actions/listen.ts')).listen,
  },
  mcp: {
    summary: 'Serve the tools of the store to an agent over standard input and output',
    usage: 'mcp [--read-only] [--tools TAGS_AND_NAMES]',
    flags: { 'read-only': 'switch', tools: 'values' },
    load: async () => (await import('./actions/mcp.ts')).mcp,
  },
  'mcp config': {
    summary: 'Print the settings of a host that starts petstore mcp',
    usage: 'mcp config --for claude|cursor|vscode [--read-only] [--tools TAGS_AND_NAMES]',
    flags: { for: 'value', 'read-only': 'switch', tools: 'values' },
    choices: { for: ['claude', 'cursor', 'vscode'] },
    load: async () => (await import('./actions/mcp.ts')).mcpConfig,
  },
  'stock take': {
    summary: 'Set the stock to the counts of a CSV file',
    usage: 'stock take FILE.csv|- [--mode all|each] [--reason TEXT] [--dry-run]',
    wordsMax: 1,
    flags: { mode: 'value', reason: 'value', 'dry-run': 'switch' },
    choices: { mode: ['all', 'each'] },
    load: async () => (await import('./actions/take-stock.ts')).takeStock,
  },
  completion: {
    summary: 'Print the completion script for a shell',
    usage: 'completion bash|zsh|fish',
    wordsMax: 1,
    load: async () => (await import('./completion.ts')).completion,
  },
  version: {
    summary: 'Print the version',
    usage: 'version',
    load: async () => (await import('./actions/version.ts')).version,
  },
};

/** The same text as in the help. */
export function wrongUsage(name: string): UsageError {
  return new UsageError(`usage: petstore ${actions[name]!.usage}`);
}

export const actionCommands: readonly KnownCommand[] = Object.entries(actions).map(
  ([name, { summary, flags = {}, choices = {} }]) => ({
    name,
    summary,
    flags: Object.keys(flags).map((flag) => ({
      name: flag,
      type: 'string',
      ...(choices[flag] ? { choices: choices[flag] } : {}),
    })),
  }),
);
