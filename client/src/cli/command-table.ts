import { actions } from './actions.ts';
import {
  commonOptions,
  type KnownCommand,
  type OperationCommand,
  positionalText,
} from './command.ts';
import { operationCommands } from './commands.ts';
import { extraOptions, fieldOptions } from './operation/options.ts';

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

/** All commands over the API, as help and completion know them. */
export const knownCommands: readonly KnownCommand[] = [
  ...commands
    .filter(({ name }) => !Object.hasOwn(actions, name))
    .map((command) => ({
      name: command.name,
      usage: [command.name, ...command.positionals.map(positionalText)].join(' '),
      summary: command.summary,
      options: { ...fieldOptions(command), ...extraOptions(command) },
      example: command.example,
    })),
  ...Object.entries(actions).map(([name, action]) => ({
    name,
    usage: action.usage,
    summary: action.summary,
    options: { ...commonOptions, ...action.options },
    example: action.example,
  })),
];
