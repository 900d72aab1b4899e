// The commands that stand for no single operation. Their code is imported when one of them runs.

import { type Action, optionsOf } from './action.ts';
import { formats, type Option, type Options } from './command.ts';
import { exportActions } from './export-actions.ts';
import { dueOption } from './operation/options.ts';

const yes: Option = { kind: 'switch', description: 'Do not ask.' };
const dryRun: Option = { kind: 'switch', description: 'Check every row, and change nothing.' };
const mode: Option = {
  kind: 'value',
  value: 'MODE',
  description: 'all (default): one refused row refuses them all. each: refused rows are skipped.',
  choices: ['all', 'each'],
};
const agentOptions: Options = {
  'read-only': { kind: 'switch', description: 'Only tools that change nothing.' },
  tools: {
    kind: 'values',
    value: 'LIST',
    description: 'Only the tools of these tags or names, separated by commas.',
  },
};

export const actions: Readonly<Record<string, Action>> = {
  'pets import': {
    summary: 'Create the pets of a CSV or NDJSON file',
    usage: 'pets import FILE|-',
    wordsMax: 1,
    options: {
      'dry-run': dryRun,
      update: {
        kind: 'switch',
        description: 'Change the pets that have the reference of their row already.',
      },
      'from-line': {
        kind: 'value',
        value: 'N',
        description: 'Skip the rows before this line, which an earlier import has created.',
      },
    },
    example: 'petstore pets import pets.csv --dry-run',
    load: async () => (await import('./actions/import-pets.ts')).importPets,
  },
  'orders place': {
    summary: 'Place an order, or several together',
    usage: 'orders place',
    options: {
      pet: {
        kind: 'value',
        value: 'PET',
        description: 'The pet: its id, its reference, or a name that only one pet has.',
      },
      line: {
        kind: 'values',
        value: 'PET=QTY',
        description:
          'One more pet and its quantity. May be given more than once. All orders are placed, or none.',
      },
      ...optionsOf('placeOrder'),
      'pet-id': {
        kind: 'value',
        value: 'ID',
        description: 'The id of the pet, in place of --pet.',
      },
    },
    example: 'petstore orders place --pet-id 1 --quantity 2 --line 2=1',
    load: async () => (await import('./actions/place-orders.ts')).placeOrders,
  },
  'orders pick-list': {
    summary: 'Print what to take from the shelves for the open orders, by pet',
    usage: 'orders pick-list',
    options: {
      due: dueOption,
      q: {
        kind: 'value',
        value: 'WORDS',
        description: 'Only orders of this customer or reference.',
      },
      output: {
        kind: 'value',
        value: 'FORMAT',
        description: 'How to print. html is a page for a printer.',
        choices: ['html', ...formats],
      },
    },
    example: 'petstore orders pick-list --due today -o html > pick-list.html',
    load: async () => (await import('./actions/pick-list.ts')).pickList,
  },
  'stock count': {
    summary: 'Set the stock to what was counted, by id, reference or name of the pet',
    usage: 'stock count FILE|-',
    wordsMax: 1,
    options: {
      mode: {
        ...mode,
        description:
          'each (default): refused rows are skipped. all: one refused row refuses them all.',
      },
      reason: {
        kind: 'value',
        value: 'TEXT',
        description: 'The reason of rows that have none of their own. Default: Count.',
      },
      'dry-run': dryRun,
    },
    example: 'petstore stock count counted.csv --dry-run',
    load: async () => (await import('./actions/count-stock.ts')).countStock,
  },
  'stock take': {
    summary: 'Set the stock to the counts of a CSV file',
    usage: 'stock take FILE|-',
    wordsMax: 1,
    options: {
      mode,
      reason: {
        kind: 'value',
        value: 'TEXT',
        description: 'The reason of rows that have none of their own.',
      },
      'dry-run': dryRun,
    },
    example: 'petstore stock take counts.csv --mode each --dry-run',
    load: async () => (await import('./actions/take-stock.ts')).takeStock,
  },
  login: {
    summary: 'Check a key and store it in a profile',
    usage: 'login',
    options: {
      'base-url': { kind: 'value', value: 'URL', description: 'Where the service is.' },
    },
    example: 'petstore login --base-url http://127.0.0.1:8080',
    load: async () => (await import('./actions/login.ts')).login,
  },
  logout: {
    summary: 'Remove a profile and its key',
    usage: 'logout',
    example: 'petstore logout --profile shop',
    load: async () => (await import('./actions/login.ts')).logout,
  },
  whoami: {
    summary: 'Show the store, the key and what is left of its limits',
    usage: 'whoami',
    example: 'petstore whoami --json',
    load: async () => (await import('./actions/login.ts')).whoami,
  },
  profiles: {
    summary: 'List, choose or remove profiles',
    usage: 'profiles [list | use NAME | remove NAME]',
    wordsMax: 2,
    options: { yes },
    example: 'petstore profiles use shop',
    load: async () => (await import('./actions/login.ts')).profiles,
  },
  api: {
    summary: 'Send any request',
    usage: 'api GET|POST|PUT|PATCH|DELETE PATH',
    wordsMax: 2,
    options: {
      data: {
        kind: 'value',
        value: 'JSON|@FILE|-',
        description: 'The body as JSON, from a file or from standard input.',
      },
      field: {
        kind: 'values',
        value: 'KEY=VALUE',
        description:
          'A field of the body, or of the query of GET and DELETE. Numbers, true, false, null and JSON are taken as such. May be given more than once. Short: -f.',
      },
      paginate: { kind: 'switch', description: 'All pages of a list, as one array.' },
      include: {
        kind: 'switch',
        description: 'Print the status and the headers first. Short: -i.',
      },
      yes,
    },
    example: 'petstore api get pets -f limit=2',
    load: async () => (await import('./actions/api.ts')).api,
  },
  listen: {
    summary: 'Print events as they happen, or forward them to a URL',
    usage: 'listen',
    options: {
      'forward-to': {
        kind: 'value',
        value: 'URL',
        description:
          'Send each event there, signed as by a webhook. A number is a port of this machine.',
      },
      events: {
        kind: 'values',
        value: 'TYPES',
        description: 'Only these types, separated by commas: order.*,inventory.low.',
      },
      from: {
        kind: 'value',
        value: 'CURSOR',
        description: 'Start after this event. Default: now.',
      },
      'print-secret': {
        kind: 'switch',
        description: 'Print the secret that forwarded events are signed with, and exit.',
      },
    },
    example: 'petstore listen --forward-to http://localhost:3000/hooks',
    load: async () => (await import('./actions/listen.ts')).listen,
  },
  ...exportActions,
  'requests tail': {
    summary: 'Print requests as they are logged, from now on',
    usage: 'requests tail',
    options: optionsOf('listRequests', ['status', 'code', 'operation-id', 'key-id']),
    example: 'petstore requests tail --status 4xx',
    load: async () => (await import('./actions/tail-requests.ts')).tailRequests,
  },
  mcp: {
    summary: 'Serve the tools of the store to an agent over standard input and output',
    usage: 'mcp',
    options: agentOptions,
    example: 'petstore mcp --read-only',
    load: async () => (await import('./actions/mcp.ts')).mcp,
  },
  'mcp config': {
    summary: 'Print the settings of a host that starts petstore mcp',
    usage: 'mcp config',
    options: {
      for: {
        kind: 'value',
        value: 'HOST',
        description: 'Whose settings. Required.',
        choices: ['claude', 'cursor', 'vscode'],
      },
      ...agentOptions,
    },
    example: 'petstore mcp config --for claude --read-only',
    load: async () => (await import('./actions/mcp.ts')).mcpConfig,
  },
  completion: {
    summary: 'Print the completion script for a shell',
    usage: 'completion bash|zsh|fish',
    wordsMax: 1,
    example: 'source <(petstore completion bash)',
    load: async () => (await import('./actions/completion-script.ts')).completionScript,
  },
  version: {
    summary: 'Print the version',
    usage: 'version',
    example: 'petstore version',
    load: async () => (await import('./actions/version.ts')).version,
  },
};
