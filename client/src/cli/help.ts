import { actionCommands, actions } from './actions.ts';
import {
  commonFlags,
  type KnownCommand,
  type OperationCommand,
  positionalText,
} from './command.ts';
import { commands } from './command-table.ts';
import { extraFlags } from './run-operation.ts';

type Row = readonly [left: string, right: string];

/** What `petstore` prints by itself of this half: one line for each group of commands. */
export function overview(): string {
  const groups = new Map<string, string[]>();
  for (const { name } of commands) {
    const group = name.slice(0, name.lastIndexOf(' '));
    groups.set(group, [...(groups.get(group) ?? []), name.slice(group.length + 1)]);
  }
  const lines = [...groups].map(([group, verbs]): Row => [group, verbs.join(' ')]);
  const others = Object.entries(actions).map(([name, { summary }]): Row => [name, summary]);
  return `Over the API, with a key (petstore login, or PETSTORE_API_KEY):

${rows([...lines, ...others])}
  -o FORMAT                  table, json, ndjson, csv or tsv; --json is -o json
  --fields a,b               which columns
  --all                      all pages of a list
  --profile NAME             another profile
  --no-retry                 fail at once instead of waiting and trying again
  --verbose                  show each request on standard error
`;
}

/** The help of a command, of a group, or of everything. */
export function helpFor(words: readonly string[]): string | undefined {
  if (words.length === 0) return `Usage: petstore <command> [options]\n\n${overview()}${MORE}`;
  const name = words.join(' ');
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action) {
    const flags = Object.keys({ ...action.flags, ...commonFlags });
    return `Usage: petstore ${action.usage}\n\n${action.summary}.\n\nOptions: ${flagList(flags)}\n`;
  }
  const command = commands.find((each) => each.name === name);
  if (command) return commandHelp(command);
  const group = [...commands, ...actionCommands].filter((each) => each.name.startsWith(`${name} `));
  return group.length > 0 ? groupHelp(name, group) : undefined;
}

const MORE = '\nThe help of one command: petstore help orders place\n';

function groupHelp(name: string, group: readonly KnownCommand[]): string {
  const lines = group.map((command): Row => [command.name, command.summary]);
  return `Usage: petstore ${name} <command> [options]\n\n${rows(lines)}${MORE}`;
}

export function commandHelp(command: OperationCommand): string {
  const { name, summary, positionals, flags, example, deprecated } = command;
  const fields = flags.map((flag): Row => {
    const { description, choices, isRequired } = flag;
    const choice = choices ? `(${choices.join(', ')})` : '';
    const parts = [description, choice, isRequired ? 'Required.' : ''];
    return [`--${flag.name}`, parts.filter(Boolean).join(' ')];
  });
  const others = Object.keys(extraFlags(command));
  const usage = [name, ...positionals.map(positionalText)].join(' ');
  return `Usage: petstore ${usage} [options]

${summary}.${deprecated ? ` Deprecated ${deprecated}.` : ''}
${fields.length > 0 ? `\n${rows(fields)}` : ''}
Also: ${flagList(others)}

Example: ${example}
`;
}

function flagList(names: readonly string[]): string {
  return names.map((name) => `--${name}`).join(' ');
}

function rows(pairs: readonly Row[]): string {
  const width = Math.max(0, ...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}
