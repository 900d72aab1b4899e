import { flagName, type KnownCommand, type Option, type Options } from './command.ts';
import { findCommand, knownCommands } from './command-table.ts';

const noCommand = { usage: '', summary: '', example: '' };
/** Words that are completed like those of a command. */
const words: readonly KnownCommand[] = [
  ...['bash', 'zsh', 'fish'].map((shell) => `completion ${shell}`),
  ...['list', 'use', 'remove'].map((verb) => `profiles ${verb}`),
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `api ${method}`),
  'help',
].map((name) => ({ ...noCommand, name, options: optionsOf(name.split(' ')[0]!) }));

function optionsOf(action: string): Options {
  return knownCommands.find(({ name }) => name === action)?.options ?? {};
}

/** The words that may stand in the last place: commands, flags, or the choices of a flag. */
export function candidates(
  typed: readonly string[],
  serverCommands: readonly KnownCommand[] = [],
): string[] {
  const current = typed.at(-1) ?? '';
  const before = typed.slice(0, -1);
  const known = [...knownCommands, ...words, ...serverCommands];
  const command = findCommand(before, known);
  const all = [
    ...nextWords(before[0] === 'help' ? before.slice(1) : before, known),
    ...(command ? afterCommand(command.options, before.at(-1)!) : []),
  ];
  return [...new Set(all)].filter((word) => word.startsWith(current));
}

function nextWords(before: readonly string[], known: readonly KnownCommand[]): string[] {
  return known.flatMap(({ name }) => {
    const words = name.split(' ');
    const isBehind = words.length > before.length && before.every((word, at) => word === words[at]);
    return isBehind ? [words[before.length]!] : [];
  });
}

function afterCommand(options: Options, last: string): string[] {
  const option: Option | undefined = last.startsWith('-') ? options[flagName(last)] : undefined;
  if (option?.choices) return [...option.choices];
  // What follows would be taken as the value. The shell offers files.
  if (option && option.kind !== 'switch') return [];
  return Object.keys(options).map((name) => `--${name}`);
}
