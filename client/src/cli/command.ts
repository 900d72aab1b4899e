export interface Flag {
  /** In kebab-case, as it is typed. */
  name: string;
  /** As the API calls it. */
  field: string;
  type: 'string' | 'integer' | 'boolean' | 'json';
  in: 'body' | 'query';
  description: string;
  choices?: readonly string[];
  isRequired?: boolean;
  isNullable?: boolean;
  /** May be given more than once. */
  isRepeatable?: boolean;
  /** Takes values separated by commas. */
  isList?: boolean;
}

/** A command that stands for one operation of the API. */
export interface OperationCommand {
  name: string;
  summary: string;
  operation: string;
  method: string;
  path: string;
  positionals: readonly string[];
  flags: readonly Flag[];
  /** The fields of the result, in the order of the table. */
  columns: readonly string[];
  isList?: boolean;
  isWrite?: boolean;
  isBodyOptional?: boolean;
  hasIfMatch?: boolean;
  isFree?: boolean;
  deprecated?: string;
  /** Prints only this list of the record. */
  pick?: string;
  example: string;
}

/** Wrong usage: exit code 2. */
export class UsageError extends Error {}

/** Wrong settings: exit code 78. */
export class SettingsError extends Error {}

export interface Terminal {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
}

/** The words of a command line that were not flags, and its flags as they were typed. */
export interface Arguments {
  words: string[];
  flags: Map<string, string[]>;
}

/** Flags that every command takes; those without a value are `true`. */
export const commonFlags: Readonly<Record<string, 'value' | 'switch'>> = {
  output: 'value',
  json: 'switch',
  fields: 'value',
  profile: 'value',
  'no-retry': 'switch',
  verbose: 'switch',
  help: 'switch',
};

const shortFlags: Readonly<Record<string, string>> = { o: 'output', h: 'help', i: 'include' };

/** Splits arguments into words and flags. `isSwitch` says which flags have no value. */
export function parseArguments(
  args: readonly string[],
  isSwitch: (name: string) => boolean | undefined,
  known: readonly string[],
): Arguments {
  const words: string[] = [];
  const flags = new Map<string, string[]>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--') {
      words.push(...args.slice(at + 1));
      break;
    }
    if (!/^--?[a-z]/i.test(arg)) {
      words.push(arg);
      continue;
    }
    const [, typed = '', , inline] = /^--?([^=]+)(=(.*))?$/s.exec(arg)!;
    const name = arg.startsWith('--') ? typed : (shortFlags[typed] ?? typed);
    const isValueless = isSwitch(name);
    if (isValueless === undefined) throw unknownFlag(name, known);
    const next = args[at + 1];
    const takesNext = inline === undefined && !isValueless;
    if (takesNext && next === undefined) throw new UsageError(`--${name} needs a value`);
    const value = inline ?? (isValueless ? 'true' : next!);
    if (takesNext) at += 1;
    flags.set(name, [...(flags.get(name) ?? []), value]);
  }
  return { words, flags };
}

function unknownFlag(name: string, known: readonly string[]): UsageError {
  const near = nearest(name, known);
  return new UsageError(`unknown option --${name}${near ? `; did you mean --${near}?` : ''}`);
}

/** The word that differs least, if one is close enough to be a typing error. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((each) => ({ each, distance: editDistance(word, each) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(2, word.length / 3) ? best.each : undefined;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitute, previous[j]! + 1, current[j - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}
