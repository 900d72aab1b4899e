import {
  type Arguments,
  formats,
  type OperationCommand,
  type Terminal,
  UsageError,
} from './command.ts';
import { nearest } from './nearest.ts';
import { fieldList, type Record_, table } from './table.ts';

export type Format = (typeof formats)[number];

/**
 * The format that was asked for, which may be one of the command alone. Called before a request is sent: wrong usage changes
 * nothing.
 */
export function formatIn<const Own extends string = never>(
  { flags }: Arguments,
  { stdout }: Terminal,
  own: readonly Own[] = [],
): Format | Own {
  const name = flags.has('json') ? 'json' : flags.get('output')?.[0];
  if (name === undefined) return stdout.isTTY ? 'table' : 'tsv';
  const known: readonly string[] = [...own, ...formats];
  if (known.includes(name)) return name as Format | Own;
  throw new UsageError(`-o must be one of ${known.join(', ')}`);
}

export function isJson(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}

/** Writes a line for people to standard error, which `--quiet` leaves out. */
export function note(text: string, { flags }: Arguments, { stderr }: Pick<Terminal, 'stderr'>) {
  if (!flags.has('quiet')) stderr.write(`petstore: ${text}\n`);
}

/** The names in `--fields`, if it is given. Refuses those that are not among the known ones, unless none are known. */
export function fieldsIn({ flags }: Arguments, known: readonly string[]): string[] | undefined {
  const given = flags.get('fields')?.[0];
  if (given === undefined) return undefined;
  const fields = given.split(',').map((field) => field.trim());
  const wrong = known.length > 0 ? fields.find((field) => !known.includes(field)) : undefined;
  if (wrong === undefined) return fields;
  const near = nearest(wrong, known);
  const hint = near ? `did you mean ${near}?` : `there are ${known.join(', ')}`;
  throw new UsageError(`--fields: there is no field ${wrong}; ${hint}`);
}

/** The record with these fields alone, in their order. */
function picked(record: Record_, fields: readonly string[] | undefined): Record_ {
  if (fields === undefined) return record;
  return Object.fromEntries(
    fields.filter((field) => field in record).map((field) => [field, record[field]]),
  );
}

/** The columns to show: those asked for, or those of the schema that any record has. */
export function columnsOf(
  records: readonly Record_[],
  columns: readonly string[],
  fields: readonly string[] | undefined,
): readonly string[] {
  if (fields !== undefined) return fields;
  if (columns.length === 0) return Object.keys(records[0] ?? {});
  return columns.filter((column) => records.some((record) => column in record));
}

interface Rows {
  records: readonly Record_[];
  columns: readonly string[];
  /** What --fields may name beside the columns. */
  more?: readonly string[];
  /** Whether a heading comes before; true if absent. Only CSV and tables have one. */
  hasHead?: boolean;
}

/** Writes records as rows. */
export function printRows(
  { records, columns, more = [], hasHead = true }: Rows,
  format: Format,
  args: Arguments,
  { stdout }: Pick<Terminal, 'stdout'>,
): void {
  const fields = fieldsIn(args, [...columns, ...more]);
  const shown = fields ?? columns;
  if (isJson(format)) {
    const kept = records.map((record) => JSON.stringify(picked(record, fields)));
    stdout.write(
      format === 'json' ? `[${kept.join(',')}]\n` : kept.map((row) => `${row}\n`).join(''),
    );
  } else if (format === 'csv') writeRows(stdout, csv(records, shown, hasHead));
  else if (format === 'tsv') writeRows(stdout, tsv(records, shown));
  else stdout.write(table(records, columnsOf(records, columns, fields), stdout));
}

/** Writes one record. */
export function printRecord(
  record: Record_,
  columns: readonly string[],
  format: Format,
  args: Arguments,
  { stdout }: Pick<Terminal, 'stdout'>,
): void {
  const fields = fieldsIn(args, [...new Set([...columns, ...Object.keys(record)])]);
  const all = columns.length > 0 ? columns : Object.keys(record);
  if (isJson(format)) stdout.write(`${JSON.stringify(picked(record, fields))}\n`);
  else if (format === 'csv') writeRows(stdout, csv([record], fields ?? all, true));
  else if (format === 'tsv') writeRows(stdout, tsv([record], fields ?? all));
  else stdout.write(fieldList(record, columnsOf([record], columns, fields), stdout));
}

/** Rows without a heading, one record a line; tabs and line breaks inside a cell become spaces. */
function tsv(records: readonly Record_[], columns: readonly string[]): string {
  const rows = records.map((record) =>
    columns.map((column) => cellOf(record[column]).replace(/[\t\r\n]+/g, ' ')).join('\t'),
  );
  return rows.map((row) => `${row}\n`).join('');
}

export function csv(
  records: readonly Record_[],
  columns: readonly string[],
  hasHead: boolean,
): string {
  const rows = records.map((record) => columns.map((column) => csvCell(record[column])));
  return [...(hasHead ? [columns.map(csvCell)] : []), ...rows]
    .map((row) => `${row.join(',')}\n`)
    .join('');
}

/** A text that a spreadsheet would run as a formula gets a quote in front, as in the console's files. */
function csvCell(value: unknown): string {
  const text = cellOf(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Writes CSV or tab-separated rows. A terminal gets no characters that would control it; a pipe gets them as they are. */
function writeRows(stdout: Terminal['stdout'], rows: string): void {
  stdout.write(stdout.isTTY ? rows.replace(/[^\P{Cc}\t\n]+/gu, ' ') : rows);
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const REQUEST_COLUMNS = ['id', 'at', 'method', 'path', 'status', 'code', 'keyId'];
const AUDIT_COLUMNS = ['id', 'at', 'action', 'target', 'actor', 'after'];
const EVENT_COLUMNS = ['id', 'timestamp', 'type', 'data'];

/** The operations whose records have too many fields for a table. */
const fewerColumns: Readonly<Record<string, readonly string[]>> = {
  listPets: ['id', 'reference', 'name', 'categoryId', 'category', 'status'],
  listOrders: ['id', 'petId', 'pet', 'quantity', 'state', 'customer', 'reference', 'shipDate'],
  listMovements: [
    'at',
    'cause',
    'quantityAfter',
    'reservedAfter',
    'orderId',
    'reason',
    'reference',
  ],
  listRequests: REQUEST_COLUMNS,
  adminListRequests: ['workspaceId', ...REQUEST_COLUMNS],
  listAudit: AUDIT_COLUMNS,
  adminListAudit: ['workspaceId', ...AUDIT_COLUMNS],
  listEvents: EVENT_COLUMNS,
  getEvent: EVENT_COLUMNS,
  listKeys: ['id', 'name', 'scopes', 'createdAt', 'lastUsedAt', 'expiresAt', 'revokedAt'],
  listWebhooks: ['id', 'state', 'behind', 'url', 'types'],
};

/** What --fields may name beside the columns. The contract names none for events, whose fields depend on their type. */
export const moreFields: Readonly<Record<string, readonly string[]>> = {
  listEvents: ['sequence', 'keyId', 'before'],
};

/** The columns of a table, unless --fields names others. */
export function tableColumns({
  operation,
  columns,
}: Pick<OperationCommand, 'operation' | 'columns'>): readonly string[] {
  return fewerColumns[operation] ?? columns;
}

/** The columns of rows, which do not depend on what a record has: those of the first page hold for all pages. */
export function rowColumns(
  command: Pick<OperationCommand, 'operation' | 'columns'>,
  firstPage: readonly Record_[],
): readonly string[] {
  const all = command.columns.length > 0 ? command.columns : tableColumns(command);
  // A cell of pairs is of no use in a sheet; --fields asks for it.
  const known = all.filter((column) => column !== 'metadata');
  return known.length > 0 ? known : Object.keys(firstPage[0] ?? {});
}
