import { parseArgs } from 'node:util';
import { nearest } from '@petstore/client/cli/nearest';
import { type Command, type OptionName, type Options, UsageError } from './command.ts';

const SERVER = 'server ';

export interface CommandLine {
  words: string[];
  options: Options;
}

/** Splits the arguments into words and options. Refuses options that no command takes. */
export function parseCommandLine(args: string[], commands: readonly Command[]): CommandLine {
  const valued = valuedOptions(commands);
  const declared = Object.fromEntries(
    [...valued].map(([name, takesValue]) => {
      const type = takesValue ? ('string' as const) : ('boolean' as const);
      return [name, name === 'help' ? { type, short: 'h' } : { type }];
    }),
  );
  const { tokens } = parseArgs({
    args,
    options: declared,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const words: string[] = [];
  const options: Record<string, string | boolean> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const takesValue = valued.get(token.name);
    if (takesValue === undefined) throw unknownOption(token.rawName, [...valued.keys()]);
    if (takesValue && !token.value) throw new UsageError(`--${token.name} needs a value`);
    if (!takesValue && token.value !== undefined) {
      throw new UsageError(`--${token.name} takes no value`);
    }
    // Two values do not say which of them is meant.
    if (takesValue && token.name in options) {
      throw new UsageError(`--${token.name} must not be given more than once`);
    }
    options[token.name] = token.value ?? true;
  }
  return { words, options };
}

/** By name, whether an option takes a value. */
function valuedOptions(commands: readonly Command[]): Map<string, boolean> {
  const valued = new Map([['help', false]]);
  for (const { options } of commands) {
    for (const [name, { value }] of Object.entries(options)) valued.set(name, value !== undefined);
  }
  return valued;
}

function unknownOption(written: string, names: readonly string[]): UsageError {
  const suggestion = nearest(written.replace(/^-+/, ''), names);
  return new UsageError(
    `there is no option ${written}${suggestion ? `; did you mean --${suggestion}?` : ''}`,
  );
}

/** Finds the command that the first words name, and what is left of them. */
export function findCommand(
  words: readonly string[],
  commands: readonly Command[],
): { command: Command; rest: string[] } {
  for (const length of [3, 2]) {
    const name = words.slice(0, length).join(' ');
    const command = commands.find((candidate) => candidate.name === name);
    if (command) return { command, rest: words.slice(length) };
  }
  throw unknownCommand(words, commands);
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): UsageError {
  const names = commands.map(({ name }) => name);
  for (const length of words.length > 1 ? [2, 1] : [1]) {
    const group = words.slice(0, length).join(' ');
    const actions = names
      .filter((name) => name.startsWith(`${group} `))
      .map((name) => name.slice(group.length + 1));
    if (actions.length === 0) continue;
    if (words.length === length) {
      return new UsageError(`${group} needs one of ${actions.join(', ')}`);
    }
    const written = words.slice(0, length + 1).join(' ');
    const within = names.map((name) => name.replace(SERVER, ''));
    const near = nearest(words.slice(1, 3).join(' '), within) ?? nearest(words[1]!, within);
    const hint = near ? `; did you mean \`petstore ${SERVER}${near}\`?` : '';
    return new UsageError(`there is no command ${written}${hint}`);
  }
  return new UsageError(`there is no command ${words[0]}`);
}

/** Refuses options of other commands, and an argument that is missing or too many. */
export function checkUsage(
  { name, argument, options: declared }: Command,
  rest: readonly string[],
  options: Options,
): void {
  const given = Object.keys(options) as OptionName[];
  const foreign = given.find((option) => !declared[option]);
  if (foreign) throw new UsageError(`${name} takes no --${foreign}`);
  for (const [option, { value, isRequired }] of Object.entries(declared)) {
    const isMissing = options[option as OptionName] === undefined;
    if (isRequired && isMissing) throw new UsageError(`${name} needs --${option} ${value}`);
  }
  if (argument && rest.length === 0) throw new UsageError(`${name} needs ${argument}`);
  const extra = rest[argument ? 1 : 0];
  if (extra !== undefined) throw new UsageError(`${name} does not take ${extra}`);
}
