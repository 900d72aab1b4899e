import { nearest } from './nearest.ts';

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
  /** Takes an instant in RFC 3339. */
  isTime?: boolean;
}

/** A flag that is no field of an operation. */
export interface Option {
  /** `values` may be given more than once; a `switch` has no value. */
  kind: 'value' | 'values' | 'switch';
  /** What the help shows for its value. */
  value?: string;
  description: string;
  choices?: readonly string[];
}

/** Options by name. */
export type Options = Readonly<Record<string, Option>>;

/** What help and completion need to know of a command. */
export interface KnownCommand {
  name: string;
  /** The command with the words that follow it. */
  usage: string;
  summary: string;
  options: Options;
  example: string;
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
  hasBody?: boolean;
  isBodyOptional?: boolean;
  hasIfMatch?: boolean;
  hasDryRun?: boolean;
  isFree?: boolean;
  /** Needs no key. */
  isPublic?: boolean;
  /** The path is that of a list, of which `id` selects one record. */
  isOneOfList?: boolean;
  /** The id that people read as a name, and the column of that name. */
  names?: { of: 'petId' | 'categoryId'; as: 'pet' | 'category' };
  /** Prints only this list of the record. */
  pick?: string;
  example: string;
}

/** Wrong usage: exit code 2. */
export class UsageError extends Error {}

/** The words of a command are not those that it takes. The usage of the command says which. */
export class WrongWords extends UsageError {}

/** --help stands among the arguments of a command. */
export class HelpAsked extends Error {}

/** There is no key to send: exit code 4. */
export class MissingKeyError extends Error {
  constructor() {
    super('no key is set: run petstore login, or set PETSTORE_API_KEY');
  }
}

/** The key cannot be one: exit code 4. */
export class InvalidKeyError extends Error {
  constructor() {
    super('the API key holds a character that no key has');
  }
}

/** The answer to a question was no: exit code 1. */
export class DeclinedError extends Error {}

/** Rows of a batch were refused, and printed with the reasons: exit code 1. */
export class RefusedRowsError extends Error {
  constructor(count: number) {
    super(count === 1 ? 'A row was refused.' : `${count} rows were refused.`);
  }
}

/** A retry was answered with the stored response, which has no secret: exit code 1. */
export class LostSecretError extends Error {
  constructor(replacement: string) {
    super(
      `this was done by an earlier request, and only its response had the secret: run petstore ${replacement} for a new one`,
    );
  }
}

/** A write failed that may have been done: the exit code is that of the failure. */
export class UnknownOutcomeError extends Error {
  /** Under this key the write is done once; undefined if the command takes none. */
  readonly idempotencyKey: string | undefined;

  constructor(cause: unknown, idempotencyKey: string | undefined) {
    super('the outcome is unknown', { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** Wrong settings: exit code 78. */
export class SettingsError extends Error {}

export interface Terminal {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** The commands of `petstore server`, where the server is installed as well. */
  serverCommands?: readonly KnownCommand[];
}

/** The words of a command line that were not flags, and its flags as they were typed. */
export interface Arguments {
  words: string[];
  flags: Map<string, string[]>;
}

export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv'] as const;

/** Options that every command takes, before or after its name. */
export const commonOptions: Options = {
  output: {
    kind: 'value',
    value: 'FORMAT',
    description: 'How to print. Default: table on a terminal, else tsv.',
    choices: formats,
  },
  json: { kind: 'switch', description: 'Short for --output json.' },
  fields: {
    kind: 'value',
    value: 'NAMES',
    description: 'Only these fields, separated by commas, in this order.',
  },
  profile: { kind: 'value', value: 'NAME', description: 'The profile to use.' },
  'no-retry': {
    kind: 'switch',
    description: 'Fail at once instead of waiting and trying again.',
  },
  quiet: { kind: 'switch', description: 'Only errors on standard error.' },
  verbose: { kind: 'switch', description: 'Show each request on standard error.' },
  help: { kind: 'switch', description: 'Show this help.' },
};

const shortFlags = new Map([
  ['o', 'output'],
  ['h', 'help'],
  ['i', 'include'],
  ['q', 'quiet'],
  ['f', 'field'],
]);

/** The option that an argument such as `-o` or `--output=json` names. */
export function flagName(arg: string): string {
  const [, typed = ''] = /^--?([^=]+)/.exec(arg) ?? [];
  return arg.startsWith('--') ? typed : (shortFlags.get(typed) ?? typed);
}

/** `petId` as the help shows it: PET_ID. */
export function positionalText(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** A word as a shell takes it. */
export function shellWord(text: string): string {
  return /^[\w./:@%,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What a printed command needs to mean the profile that was named. */
export function profileOption(name: string | undefined): string {
  return name === undefined ? '' : ` --profile ${shellWord(name)}`;
}

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
    const [, inline] = /^[^=]+=(.*)$/s.exec(arg) ?? [];
    const name = flagName(arg);
    const isValueless = isSwitch(name);
    if (isValueless === undefined) throw unknownFlag(name, known);
    if (isValueless && inline !== undefined) throw new UsageError(`--${name} takes no value`);
    const next = args[at + 1];
    const takesNext = inline === undefined && !isValueless;
    if (takesNext && next === undefined) throw new UsageError(`--${name} needs a value`);
    const value = inline ?? (isValueless ? 'true' : next!);
    if (takesNext) at += 1;
    flags.set(name, [...(flags.get(name) ?? []), value]);
  }
  return { words, flags };
}

/** Two values do not say which of them is meant. */
export function refuseRepeats({ flags }: Arguments, options: Options): void {
  for (const [name, values] of flags) {
    if (options[name]?.kind === 'value' && values.length > 1) throw repeatedFlag(name);
  }
}

export function repeatedFlag(name: string): UsageError {
  return new UsageError(`--${name} must not be given more than once`);
}

export function unknownFlag(name: string, known: readonly string[]): UsageError {
  const near = nearest(name, known);
  return new UsageError(`unknown option --${name}${near ? `; did you mean --${near}?` : ''}`);
}
