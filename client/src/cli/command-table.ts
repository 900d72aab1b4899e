import type { KnownCommand, OperationCommand } from './command.ts';
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
  name: 'account deprecated',
  summary: 'List the calls of deprecated operations',
  columns: ['operationId', 'keyId', 'calls', 'lastCalledAt', 'sunset', 'successor'],
  pick: 'deprecated',
  example: 'petstore account deprecated',
};

/** All commands that send one operation. */
export const commands: readonly OperationCommand[] = [
  ...operationCommands,
  fulfil,
  asOf,
  deprecated,
];

/** What a command always sends. */
export function presetOf(command: OperationCommand): readonly string[] {
  return command === fulfil ? ['--complete', 'true'] : [];
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
