import type { WithResponse } from '../call.ts';
import type { Page } from '../page.ts';
import type { AnyOptions, Request } from '../transport.ts';
import { confirm } from './ask.ts';
import {
  type Arguments,
  type Flag,
  LostSecretError,
  type OperationCommand,
  parseArguments,
  positionalText,
  refuseRepeats,
  repeatedFlag,
  type Terminal,
  UsageError,
} from './command.ts';
import { extraOptions } from './command-table.ts';
import { type Connection, connect } from './connection.ts';
import { dataOf, jsonOf } from './json-input.ts';
import { nameAdder, withNameColumn } from './names.ts';
import {
  columnsOf,
  type Format,
  fieldsIn,
  formatIn,
  printRecord as printOne,
  printRows,
  rowColumns,
  tableColumns,
} from './output.ts';

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

type Fields = Record<string, unknown>;

const PROGRESS_AFTER_MS = 2_000;
/** The operations whose response shows a secret once, and the command that makes another. */
const replacements = new Map([
  ['createKey', 'keys rotate'],
  ['rotateKey', 'keys rotate'],
  ['createWebhook', 'webhooks rotate-secret'],
  ['rotateWebhookSecret', 'webhooks rotate-secret'],
]);

export async function runOperation(
  command: OperationCommand,
  args: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const extra = extraOptions(command);
  const known = [...Object.keys(extra), ...command.flags.map(({ name }) => name)];
  const isSwitch = (name: string) => {
    if (Object.hasOwn(extra, name)) return extra[name]!.kind === 'switch';
    return command.flags.some((flag) => flag.name === name) ? false : undefined;
  };
  const parsed = parseArguments(args, isSwitch, known);
  if (parsed.flags.has('help')) {
    const { helpFor } = await import('./help.ts');
    terminal.stdout.write(helpFor(command.name.split(' '), terminal)!);
    return;
  }
  refuseRepeats(parsed, extra);
  // Before a request is sent: wrong usage changes nothing.
  const shown = withNameColumn(command, parsed, formatIn(parsed, terminal));
  fieldsIn(parsed, shown.columns);
  const request = await requestOf(command, parsed, terminal);
  if (command.method === 'DELETE' && !request.options?.dryRun) {
    const what = `${command.summary} ${parsed.words.join(' ')}?`;
    await confirm(what, parsed.flags.has('yes'), terminal);
  }
  if (command.deprecated) terminal.stderr.write(`petstore: deprecated ${command.deprecated}\n`);
  const connection = connect(parsed, terminal, { isKeyNeeded: !command.isPublic });
  if (command.isList) await printList(shown, request, parsed, connection, terminal);
  else await printRecord(command, request, parsed, connection, terminal);
}

async function requestOf(
  command: OperationCommand,
  parsed: Arguments,
  terminal: Terminal,
): Promise<Request> {
  const { words, flags } = parsed;
  const { positionals, path, method, isFree } = command;
  if (words.length !== positionals.length) {
    const usage = [command.name, ...positionals.map(positionalText)].join(' ');
    throw new UsageError(`usage: petstore ${usage} [options]`);
  }
  const options: AnyOptions = { signal: terminal.signal };
  const key = headerIn(parsed, 'idempotency-key');
  const ifMatch = headerIn(parsed, 'if-match');
  if (key !== undefined) options.idempotencyKey = key;
  if (ifMatch !== undefined) options.ifMatch = ifMatch;
  if (flags.has('dry-run')) options.dryRun = true;
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
  const query = { ...fieldsOf(command, parsed, 'query'), ...Object.fromEntries(wordFields) };
  const body = await bodyOf(command, parsed, terminal);
  return { method, path, params: words, query, body, options, ...(isFree ? { cost: 0 } : {}) };
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

async function bodyOf(command: OperationCommand, parsed: Arguments, terminal: Terminal) {
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

async function printRecord(
  command: OperationCommand,
  request: Request,
  parsed: Arguments,
  { transport }: Connection,
  terminal: Terminal,
): Promise<void> {
  const format = formatIn(parsed, terminal);
  const { data, isReplay } = (await transport.call(request).withResponse()) as WithResponse<
    Fields | undefined
  >;
  if (data === undefined) return;
  const rows: unknown = command.pick ? data[command.pick] : data;
  if (Array.isArray(rows)) listWriter(command, parsed, terminal, format)(rows, true);
  else printOne(data, rowColumns(command, [data]), format, parsed, terminal);
  const replacement = replacements.get(command.operation);
  if (isReplay && replacement) throw new LostSecretError(`${replacement} ${data.id}`);
}

async function printList(
  command: OperationCommand,
  request: Request,
  parsed: Arguments,
  { transport }: Connection,
  terminal: Terminal,
): Promise<void> {
  const isAll = parsed.flags.has('all');
  const format = formatIn(parsed, terminal);
  const write = listWriter(command, parsed, terminal, format);
  const startedAt = Date.now();
  let count = 0;
  let hasProgress = false;
  const query =
    isAll && !('limit' in request.query!) ? { limit: 100, ...request.query } : request.query;
  const list = transport.list<Fields>({ ...request, query });
  const fields = fieldsIn(parsed, command.columns);
  const addNames = nameAdder(command, fields, transport, terminal.signal);
  for await (const page of list.pages() as AsyncIterable<Page<Fields>>) {
    count += page.items.length;
    const isLast = !isAll || page.nextCursor === undefined;
    write(await addNames(page.items), isLast);
    if (!isAll && page.nextCursor !== undefined) {
      terminal.stderr.write(`petstore: ${hintOfNext(command, page.nextCursor)}\n`);
    }
    if (isLast) break;
    hasProgress = Date.now() - startedAt > PROGRESS_AFTER_MS;
    // The cursor goes back at once, so that whatever is written next takes the line.
    if (hasProgress) terminal.stderr.write(`petstore: ${count} records …\r`);
  }
  if (hasProgress) terminal.stderr.write(`petstore: ${count} records  \n`);
}

/** A feed has a next page at all times, also where nothing has happened yet. */
function hintOfNext({ flags }: OperationCommand, next: string): string {
  const isFeed = flags.some(({ name }) => name === 'after');
  return isFeed ? `go on with --after ${next}` : 'there is more; --all lists everything';
}

/** Writes pages as they come; a table and a JSON array need all rows. */
function listWriter(
  command: OperationCommand,
  args: Arguments,
  terminal: Terminal,
  format: Format,
): (items: Fields[], isLast: boolean) => void {
  const gathered: Fields[] = [];
  const isGathered = format === 'json' || format === 'table';
  let columns: readonly string[] | undefined;
  return (items, isLast) => {
    const hasHead = columns === undefined;
    columns ??= rowColumns(command, items);
    if (isGathered) gathered.push(...items);
    else printRows({ records: items, columns, hasHead }, format, args, terminal);
    if (!isLast || !isGathered) return;
    const isShort = format === 'table' && !args.flags.has('fields');
    const shown = isShort ? columnsOf(gathered, tableColumns(command), undefined) : columns;
    if (format === 'json' || gathered.length > 0) {
      printRows({ records: gathered, columns: shown }, format, args, terminal);
    }
  };
}

/** The instant that `15m`, `90s`, `2h` or `30d` from now is, as `--expires-at` takes it. */
function expiresIn(text: string, now = Date.now()): string {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  if (count === undefined) {
    throw new UsageError('--expires-in must be a number and a unit: 90s, 15m, 2h or 30d');
  }
  return new Date(now + Number(count) * UNIT_MS[unit!]!).toISOString();
}
