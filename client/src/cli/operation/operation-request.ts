import { newId } from '../../request.ts';
import type { AnyOptions, Request } from '../../transport.ts';
import {
  type Arguments,
  type Flag,
  type OperationCommand,
  positionalText,
  repeatedFlag,
  type Terminal,
  UsageError,
} from '../command.ts';
import { dataOf, jsonOf } from '../json-input.ts';

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

type Fields = Record<string, unknown>;

/** The request that the arguments of a command stand for. Wrong usage is refused before anything is sent. */
export async function requestOf(
  command: OperationCommand,
  parsed: Arguments,
  terminal: Terminal,
): Promise<Request> {
  const { positionals, path, method, isFree } = command;
  const words = wordsOf(command, parsed);
  if (words.length !== positionals.length) {
    const usage = [command.name, ...positionals.map(positionalText)].join(' ');
    // Not the word itself: it may be a key that was pasted.
    const count = words.length > positionals.length ? 'many' : 'few';
    throw new UsageError(`too ${count} arguments; usage: petstore ${usage} [options]`);
  }
  const options = command.isWrite ? writeOptionsOf(parsed, terminal) : { signal: terminal.signal };
  // A word that is no part of the path is a field of the query.
  const wordFields: [name: string, word: string][] = [];
  for (const [at, name] of positionals.entries()) {
    const word = words[at]!;
    if (!path.includes(`{${name}}`)) wordFields.push([name, word]);
    // The request would go to another path, and to another operation.
    else if (['', '.', '..'].includes(word)) {
      throw new UsageError(`${positionalText(name)} must not be "${word}"`);
    }
  }
  const query = {
    ...dueQuery(dueIn(parsed)),
    ...fieldsOf(command, parsed, 'query'),
    ...Object.fromEntries(wordFields),
  };
  const body = await bodyOf(command, parsed, terminal);
  return { method, path, params: words, query, body, options, ...(isFree ? { cost: 0 } : {}) };
}

/**
 * A whole key stands for its id, as it does in a leak that someone reports. Its secret is neither sent in a URL nor repeated
 * in a question.
 */
export function withKeyIds(command: OperationCommand, { words, flags }: Arguments): Arguments {
  const isKeyId = (field: string | undefined) =>
    field === 'keyId' || (field === 'id' && command.path.endsWith('/keys'));
  const fieldOf = (flag: string) => command.flags.find(({ name }) => name === flag)?.field;
  const idsIn = (texts: readonly string[]) =>
    texts.map((text) => /^psk_([0-9A-Za-z]{1,12})/.exec(text)?.[1] ?? text);
  const wordsOrIds = words.map((word, at) =>
    isKeyId(command.positionals[at]) ? idsIn([word])[0]! : word,
  );
  const flagEntries = [...flags].map(([name, texts]): [string, string[]] => [
    name,
    isKeyId(fieldOf(name)) ? idsIn(texts) : texts,
  ]);
  return { words: wordsOrIds, flags: new Map(flagEntries) };
}

/** The words, or in their place the flags of the same name: `pets put --reference SKU-1`. */
function wordsOf({ positionals, flags }: OperationCommand, parsed: Arguments): readonly string[] {
  if (parsed.words.length > 0) return parsed.words;
  const named = positionals.map((field) => {
    const flag = flags.find((each) => each.field === field);
    return flag && parsed.flags.get(flag.name)?.[0];
  });
  return named.filter((word) => word !== undefined);
}

/** The options of a write that flags stand for. Its Idempotency-Key is known here, so that it can be repeated. */
export function writeOptionsOf(parsed: Arguments, { signal }: Terminal): AnyOptions {
  const idempotencyKey = headerIn(parsed, 'idempotency-key') ?? newId();
  const options: AnyOptions = { signal, idempotencyKey };
  const ifMatch = headerIn(parsed, 'if-match');
  if (ifMatch !== undefined) options.ifMatch = ifMatch;
  if (parsed.flags.has('dry-run')) options.dryRun = true;
  return options;
}

/** The day in `--due`. */
function dueIn({ flags }: Arguments): string | undefined {
  const [day] = flags.get('due') ?? [];
  if (day !== undefined && (flags.has('ship-date-from') || flags.has('ship-date-to'))) {
    throw new UsageError('give --due or --ship-date-from and --ship-date-to, not both');
  }
  return day;
}

/** Open orders that ship on a day of the local calendar; `late`: before today. */
export function dueQuery(day: string | undefined, now = new Date()): Fields {
  if (day === undefined) return {};
  if (!['today', 'tomorrow', 'late'].includes(day)) {
    throw new UsageError('--due must be one of today, tomorrow, late');
  }
  // Not 24 hours: a day may have 23 or 25.
  const start = (days: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).getTime();
  const from = day === 'tomorrow' ? 1 : 0;
  const until = day === 'late' ? start(0) : start(from + 1);
  return {
    complete: false,
    ...(day === 'late' ? {} : { shipDateFrom: new Date(start(from)).toISOString() }),
    // It includes the moment itself.
    shipDateTo: new Date(until - 1).toISOString(),
  };
}

/** The value of a flag that is sent as a header. */
function headerIn({ flags }: Arguments, name: string): string | undefined {
  const text = flags.get(name)?.[0];
  if (text === undefined || /^[ -~]*$/.test(text)) return text;
  throw new UsageError(`--${name} must have ASCII characters only`);
}

function fieldsOf({ flags }: OperationCommand, parsed: Arguments, place: Flag['in']): Fields {
  const fields: Fields = {};
  for (const flag of flags) {
    const typed = parsed.flags.get(flag.name);
    if (flag.in !== place || typed === undefined) continue;
    if (typed.length > 1 && !flag.isRepeatable) throw repeatedFlag(flag.name);
    const values = typed.map((text) => parsedValue(flag, text));
    fields[flag.field] = flag.isRepeatable ? values.flat() : values[0];
  }
  return fields;
}

/** The body that flags and --data stand for. */
export async function bodyOf(command: OperationCommand, parsed: Arguments, terminal: Terminal) {
  if (!command.hasBody) return undefined;
  const given = parsed.flags.get('data')?.[0];
  const data = given === undefined ? {} : await dataOf(given, terminal);
  const cleared = (parsed.flags.get('clear') ?? []).map((name) => {
    const flag = command.flags.find((each) => each.name === name || each.field === name);
    if (!flag?.isNullable) throw new UsageError(`--clear ${name}: this field cannot be cleared`);
    return [flag.field, null];
  });
  const body: Fields = {
    ...data,
    ...fieldsOf(command, parsed, 'body'),
    ...expiryIn(parsed),
    ...Object.fromEntries(cleared),
  };
  const missing = command.flags.find(({ isRequired, field }) => isRequired && !(field in body));
  if (missing)
    throw new UsageError(`--${missing.name} is required, for example: ${command.example}`);
  // The command would say that it updated the record.
  if (command.method === 'PATCH' && given === undefined && Object.keys(body).length === 0) {
    throw new UsageError(`there is nothing to change; for example: ${command.example}`);
  }
  return command.isBodyOptional && Object.keys(body).length === 0 ? undefined : body;
}

/** `--expires-in 15m` stands for an `--expires-at` fifteen minutes ahead. */
function expiryIn({ flags }: Arguments): Fields {
  const [duration] = flags.get('expires-in') ?? [];
  if (duration === undefined) return {};
  if (flags.has('expires-at')) throw new UsageError('give --expires-at or --expires-in, not both');
  return { expiresAt: expiresIn(duration) };
}

function parsedValue(flag: Flag, text: string): unknown {
  const { name, type, choices, isList } = flag;
  const items = isList ? text.split(',') : [text];
  for (const item of items) {
    if (choices && !choices.includes(item)) {
      throw new UsageError(`--${name} must be one of ${choices.join(', ')}`);
    }
  }
  if (isList) return items;
  if (type === 'integer') {
    if (!/^-?\d+$/.test(text)) throw new UsageError(`--${name} must be an integer`);
    // A number above 2^53 - 1 would be rounded.
    return flag.in === 'query' ? text : Number(text);
  }
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false')
      throw new UsageError(`--${name} must be true or false`);
    return text === 'true';
  }
  return type === 'json' ? jsonOf(name, text) : text;
}

/** The instant that `15m`, `90s`, `2h` or `30d` from now is, as `--expires-at` takes it. */
function expiresIn(text: string, now = Date.now()): string {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  if (count === undefined) {
    throw new UsageError('--expires-in must be a number and a unit: 90s, 15m, 2h or 30d');
  }
  return new Date(now + Number(count) * UNIT_MS[unit!]!).toISOString();
}
