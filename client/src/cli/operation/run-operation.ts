import type { WithResponse } from '../../call.ts';
import type { Page } from '../../page.ts';
import type { Request } from '../../transport.ts';
import { confirm, isAsked } from '../ask.ts';
import {
  type Arguments,
  HelpAsked,
  LostSecretError,
  type OperationCommand,
  parseArguments,
  profileOption,
  refuseRepeats,
  type Terminal,
  UnknownOutcomeError,
} from '../command.ts';
import { type Connection, connect } from '../connection.ts';
import {
  columnsOf,
  type Format,
  fieldsIn,
  formatIn,
  isJson,
  moreFields,
  note,
  printRecord as printOne,
  printRows,
  rowColumns,
  tableColumns,
} from '../output.ts';
import { doneText } from './done.ts';
import { nameAdder, withNameColumn } from './names.ts';
import { requestOf, withKeyIds } from './operation-request.ts';
import { extraOptions } from './options.ts';
import { questionOf, recordBefore } from './record-before.ts';

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
  if (parsed.flags.has('help')) throw new HelpAsked(command.name);
  refuseRepeats(parsed, extra);
  await runParsed(command, parsed, terminal);
}

/** Runs a command whose arguments are parsed. */
export async function runParsed(
  command: OperationCommand,
  given: Arguments,
  terminal: Terminal,
): Promise<void> {
  const parsed = withKeyIds(command, given);
  // Before a request is sent: wrong usage changes nothing.
  const shown = withNameColumn(command, parsed, formatIn(parsed, terminal));
  fieldsIn(parsed, shown.columns);
  const request = await requestOf(command, parsed, terminal);
  const connection = connect(parsed, terminal, { isKeyNeeded: !command.isPublic });
  if (command.isList) await printList(shown, request, parsed, connection, terminal);
  else await printRecord(command, request, parsed, connection, terminal);
}

/** Asks before a record is deleted, and returns it for the line that says what was done. */
async function askedRecord(
  command: OperationCommand,
  request: Request,
  parsed: Arguments,
  { transport }: Connection,
  terminal: Terminal,
): Promise<Fields | undefined> {
  if (command.method !== 'DELETE' || request.options?.dryRun) return undefined;
  const isYes = parsed.flags.has('yes');
  const isRead = isYes ? saysWhatItDid(parsed, terminal) : isAsked(terminal);
  const before = isRead
    ? await recordBefore(command, parsed.words, transport, terminal.signal)
    : undefined;
  await confirm(questionOf(command, parsed.words, before), isYes, terminal);
  return before;
}

/** The line is for people: JSON has the record, and --quiet wants none. */
function saysWhatItDid(parsed: Arguments, terminal: Terminal): boolean {
  return !parsed.flags.has('quiet') && !isJson(formatIn(parsed, terminal));
}

async function printRecord(
  command: OperationCommand,
  request: Request,
  parsed: Arguments,
  connection: Connection,
  terminal: Terminal,
): Promise<void> {
  const before = await askedRecord(command, request, parsed, connection, terminal);
  const format = formatIn(parsed, terminal);
  const { transport, writes } = connection;
  const noun = command.name.replace(/s get$/, '');
  const missing = `No ${noun} ${parsed.words[0]} in this workspace.`;
  const call = command.isOneOfList ? transport.one(request, missing) : transport.call(request);
  const sent = await call.withResponse().catch((err: unknown) => {
    throw writes.isUnknown ? new UnknownOutcomeError(err, request.options?.idempotencyKey) : err;
  });
  const { data, isReplay, response } = sent as WithResponse<Fields | undefined>;
  if (data !== undefined) {
    const rows: unknown = command.pick ? data[command.pick] : data;
    if (Array.isArray(rows)) listWriter(command, parsed, terminal, format)(rows, true);
    else printOne(data, rowColumns(command, [data]), format, parsed, terminal);
    const replacement = replacements.get(command.operation);
    const profile = profileOption(parsed.flags.get('profile')?.[0]);
    if (isReplay && replacement) throw new LostSecretError(`${replacement} ${data.id}${profile}`);
  }
  if (!command.isWrite || !saysWhatItDid(parsed, terminal)) return;
  const { words, flags } = parsed;
  const isDryRun = flags.has('dry-run');
  const change = { command, words, data, before, status: response.status, isReplay, isDryRun };
  terminal.stderr.write(`${doneText(change)}\n`);
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
  const isQuiet = parsed.flags.has('quiet');
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
      note(hintOfNext(command, page.nextCursor), parsed, terminal);
    }
    if (isLast) break;
    hasProgress = !isQuiet && Date.now() - startedAt > PROGRESS_AFTER_MS;
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
  const more = moreFields[command.operation] ?? [];
  let columns: readonly string[] | undefined;
  return (items, isLast) => {
    const hasHead = columns === undefined;
    columns ??= rowColumns(command, items);
    if (isGathered) gathered.push(...items);
    else printRows({ records: items, columns, more, hasHead }, format, args, terminal);
    if (!isLast || !isGathered) return;
    const isShort = format === 'table' && !args.flags.has('fields');
    const shown = isShort ? columnsOf(gathered, tableColumns(command), undefined) : columns;
    if (format === 'json' || gathered.length > 0) {
      printRows({ records: gathered, columns: shown, more }, format, args, terminal);
    } else note('there are none', args, terminal);
  };
}
