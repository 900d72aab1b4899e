import type { OperationCommand } from './command.ts';
import { operationCommands } from './commands.ts';
import { extraFlags } from './run-operation.ts';

/** Commands that stand for no single operation. */
export const otherCommands: Readonly<Record<string, string>> = {
  'orders complete': 'Fulfil an order',
  'account deprecated': 'The calls of operations that are on their way out',
  api: 'Send any request: petstore api GET /pets?limit=2',
  login: 'Check a key and store it in a profile',
  logout: 'Remove a profile',
  whoami: 'Show the store, the key and what is left of its limits',
  profiles: 'List, choose and remove profiles',
  demo: 'Fill an empty store with something worth looking at',
  completion: 'Print the completion script for bash, zsh or fish',
};

export const API_HELP = `Over the API, with a key (petstore login):

${rows([...operationCommands.map(({ name, summary }) => [name, summary]), ...Object.entries(otherCommands)] as [string, string][])}
  -o table|json|ndjson|csv   the form of the output; --json is -o json
  --fields a,b               choose the columns
  --all                      all pages of a list
  --profile NAME             another profile; PETSTORE_API_KEY goes before any
  --no-retry                 fail at once instead of waiting

petstore help COMMAND shows the options of a command.
`;

export function commandHelp(command: OperationCommand): string {
  const { name, summary, positionals, flags, example, deprecated } = command;
  const words = positionals.map((each) => each.replaceAll(/[A-Z]/g, (c) => `_${c}`).toUpperCase());
  const fields = flags.map(({ name: flag, description, choices, isRequired }) => [
    `--${flag}`,
    `${description}${choices ? ` (${choices.join(', ')})` : ''}${isRequired ? ' Required.' : ''}`,
  ]);
  const others = Object.keys(extraFlags(command)).map((flag) => `--${flag}`);
  return `petstore ${[name, ...words].join(' ')}

${summary}.${deprecated ? ` Deprecated ${deprecated}.` : ''}

${rows(fields as [string, string][])}
Also: ${others.join(' ')}

Example: ${example}
`;
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join('');
}
