import { actions } from './actions.ts';
import {
  commonOptions,
  type Flag,
  type KnownCommand,
  type OperationCommand,
  type Option,
  type Options,
  positionalText,
} from './command.ts';
import { operationCommands } from './commands.ts';

function commandOfOperation(id: string): OperationCommand {
  return operationCommands.find(({ operation }) => operation === id)!;
}

const fulfil: OperationCommand = {
  ...commandOfOperation('updateOrder'),
  name: 'orders complete',
  summary: 'Fulfil an order',
  example: 'petstore orders complete 1',
};
const asOf: OperationCommand = {
  ...commandOfOperation('listInventory'),
  name: 'stock as-of',
  summary: 'List the stock as the ledger had it at a moment',
  positionals: ['asOf'],
  flags: commandOfOperation('listInventory').flags.filter(
    ({ field }) => !['asOf', 'status', 'availableBelow'].includes(field),
  ),
  example: 'petstore stock as-of 2026-10-31T23:59:59Z --all',
};
const deprecated: OperationCommand = {
  ...commandOfOperation('getUsage'),
  name: 'usage deprecated',
  summary: 'List the calls of deprecated operations',
  columns: ['operationId', 'keyId', 'calls', 'lastCalledAt', 'sunset', 'successor'],
  pick: 'deprecated',
  example: 'petstore usage deprecated',
};

/** The lists whose records have an id that people read as a name. */
const named: Readonly<Record<string, NonNullable<OperationCommand['names']>>> = {
  listPets: { of: 'categoryId', as: 'category' },
  listInventory: { of: 'petId', as: 'pet' },
  listOrders: { of: 'petId', as: 'pet' },
};

/** All commands that send one operation. */
export const commands: readonly OperationCommand[] = [
  ...operationCommands,
  fulfil,
  asOf,
  deprecated,
].map((command) => {
  const names = named[command.operation];
  return names ? { ...command, names } : command;
});

/** What a command always sends. */
export function presetOf(command: OperationCommand): readonly string[] {
  return command.name === fulfil.name ? ['--complete', 'true'] : [];
}

/** The command with the longest name that these words start with. */
export function findCommand<C extends Pick<KnownCommand, 'name'>>(
  words: readonly string[],
  among: readonly C[],
): C | undefined {
  const matching = among.filter(({ name }) =>
    name.split(' ').every((word, at) => word === words[at]),
  );
  return matching.sort((a, b) => b.name.length - a.name.length)[0];
}

const clearOption: Option = {
  kind: 'values',
  value: 'FIELD',
  description: 'Set this field to null. May be given more than once.',
};

/** The options of a command that are not fields of its operation. */
export function extraOptions(command: OperationCommand): Options {
  const { isList, isWrite, method, hasIfMatch, hasDryRun, hasBody, flags } = command;
  const isNullable = flags.some((flag) => flag.isNullable);
  const own: Record<string, Option | false | undefined> = {
    'no-names': command.names && {
      kind: 'switch',
      description: `Leave out the column ${command.names.as}, and the request for the names.`,
    },
    all: isList && { kind: 'switch', description: 'All pages of the list.' },
    'expires-in': flags.some(({ name }) => name === 'expires-at') && {
      kind: 'value',
      value: 'DURATION',
      description: 'In place of --expires-at: 90s, 15m, 2h or 30d from now.',
    },
    data: hasBody && {
      kind: 'value',
      value: 'JSON|@FILE|-',
      description: 'The body as JSON, from a file or from standard input. Other flags win.',
    },
    clear: hasBody && isNullable && clearOption,
    'dry-run': hasDryRun && { kind: 'switch', description: 'Check it, and change nothing.' },
    'if-match': hasIfMatch && {
      kind: 'value',
      value: 'ETAG',
      description: 'Only if the record still has this ETag.',
    },
    'idempotency-key': isWrite && {
      kind: 'value',
      value: 'KEY',
      description: 'Repeat a command with the same key, and it is done once. Default: a new one.',
    },
    yes: method === 'DELETE' && { kind: 'switch', description: 'Do not ask.' },
  };
  const given = Object.entries(own).filter((entry): entry is [string, Option] => Boolean(entry[1]));
  return { ...Object.fromEntries(given), ...commonOptions };
}

/** The fields of an operation as options of its command. */
function fieldOptions({ flags }: OperationCommand): Options {
  return Object.fromEntries(
    flags.map((flag): [string, Option] => {
      const { name, description, choices, isRequired, isRepeatable } = flag;
      const text = isRequired ? `${description} Required.` : description;
      return [
        name,
        {
          kind: isRepeatable ? 'values' : 'value',
          value: valueText(flag),
          description: text.trim(),
          ...(choices ? { choices } : {}),
          ...(flag.type === 'boolean' ? { choices: ['true', 'false'] } : {}),
        },
      ];
    }),
  );
}

/** The kind of a value, as the help shows it. */
function valueText({ name, type, isList, isTime, choices }: Flag): string {
  if (isTime) return 'TIME';
  if (isList) return 'LIST';
  if (type === 'integer') return name.endsWith('id') ? 'ID' : 'N';
  if (type === 'boolean') return 'BOOLEAN';
  if (type === 'json') return 'JSON|@FILE';
  return choices ? name.toUpperCase().replaceAll('-', '_') : 'TEXT';
}

/** All commands over the API, as help and completion know them. */
export const knownCommands: readonly KnownCommand[] = [
  ...commands.map((command) => ({
    name: command.name,
    usage: [command.name, ...command.positionals.map(positionalText)].join(' '),
    summary: command.deprecated
      ? `${command.summary}. Deprecated ${command.deprecated}`
      : command.summary,
    options: { ...fieldOptions(command), ...extraOptions(command) },
    example: command.example,
  })),
  ...Object.entries(actions).map(([name, action]) => ({
    name,
    usage: action.usage,
    summary: action.summary,
    options: { ...action.options, ...commonOptions },
    example: action.example,
  })),
];
