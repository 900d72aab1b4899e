import { type Arguments, type OperationCommand, type Terminal, UsageError } from './command.ts';

export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv'] as const;
export type Format = (typeof formats)[number];

type Record_ = Readonly<Record<string, unknown>>;

const GAP = '  ';

/** The format that was asked for. Called before a request is sent: wrong usage changes nothing. */
export function formatIn({ flags }: Arguments, { stdout }: Terminal): Format {
  const name = flags.has('json') ? 'json' : flags.get('output')?.[0];
  if (name === undefined) return stdout.isTTY ? 'table' : 'tsv';
  if ((formats as readonly string[]).includes(name)) return name as Format;
  throw new UsageError(`-o must be one of ${formats.join(', ')}`);
}

export function isJson(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}

/** The names in `--fields`. */
export function fieldNames(fields: string): string[] {
  return fields.split(',').map((field) => field.trim());
}

/** The columns to show: those asked for, or those of the schema that any record has. */
export function columnsOf(
  records: readonly Record_[],
  columns: readonly string[],
  fields: string | undefined,
): string[] {
  if (fields !== undefined) return fieldNames(fields);
  if (columns.length === 0) return Object.keys(records[0] ?? {});
  return columns.filter((column) => records.some((record) => column in record));
}

/** Rows without a heading, one record a line; tabs and line breaks inside a cell become spaces. */
export function tsv(records: readonly Record_[], columns: readonly string[]): string {
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
  const quote = (text: string) =>
    /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const rows = records.map((record) => columns.map((column) => quote(cellOf(record[column]))));
  return [...(hasHead ? [columns.map(quote)] : []), ...rows]
    .map((row) => `${row.join(',')}\n`)
    .join('');
}

/** Writes CSV or tab-separated rows. A terminal gets no characters that would control it; a pipe gets them as they are. */
export function writeRows(stdout: Terminal['stdout'], rows: string): void {
  stdout.write(stdout.isTTY ? rows.replace(/[^\P{Cc}\t\n]+/gu, ' ') : rows);
}

/** A table for people: numbers to the right, cut to the width of the terminal; `terminalWidth` 0 means no limit. */
export function table(
  records: readonly Record_[],
  columns: readonly string[],
  terminalWidth = 0,
): string {
  const width = terminalWidth || Number.POSITIVE_INFINITY;
  const isNumber = columns.map((column) =>
    records.some((record) => typeof record[column] === 'number'),
  );
  const head = columns.map(headingOf);
  const rows = records.map((record) => columns.map((column) => lineOf(record[column])));
  const all = [head, ...rows];
  // Not Math.max(...lengths): a call takes some 100,000 arguments, and a table may have more rows.
  const widths = columns.map((_, at) =>
    all.reduce((widest, row) => Math.max(widest, lengthOf(row[at]!)), 0),
  );
  const lines = all.map((row) => {
    const cells = row.map((cell, at) => pad(cell, widths[at]!, isNumber[at]!));
    return cut(`${GAP}${cells.join(GAP)}`.trimEnd(), width);
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** `petId` is shown as PET, `quantityAfter` as QUANTITY AFTER. */
function headingOf(column: string): string {
  const words = column.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`);
  return words.replace(/(.) Id$/, '$1').toUpperCase();
}

const EVENT_COLUMNS = ['id', 'timestamp', 'type', 'data'];

/** The operations whose records have too many fields for a table. */
const fewerColumns: Readonly<Record<string, readonly string[]>> = {
  listMovements: [
    'at',
    'cause',
    'quantityAfter',
    'reservedAfter',
    'orderId',
    'reason',
    'reference',
  ],
  listEvents: EVENT_COLUMNS,
  getEvent: EVENT_COLUMNS,
  listKeys: ['id', 'name', 'scopes', 'createdAt', 'lastUsedAt', 'expiresAt', 'revokedAt'],
  listWebhooks: ['id', 'state', 'behind', 'url', 'types'],
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
  fields: string | undefined,
): readonly string[] {
  if (fields !== undefined) return fieldNames(fields);
  const known = command.columns.length > 0 ? command.columns : tableColumns(command);
  return known.length > 0 ? known : Object.keys(firstPage[0] ?? {});
}

/** One record for people: a field a line. */
export function fieldList(record: Record_, columns: readonly string[]): string {
  const width = Math.max(0, ...columns.map((column) => column.length));
  return columns.map((column) => `${column.padEnd(width)}  ${lineOf(record[column])}\n`).join('');
}

/** A cell for a terminal: on one line, and without characters that would control the terminal. */
function lineOf(value: unknown): string {
  return cellOf(value).replace(/[\s\p{Cc}]+/gu, ' ');
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

function pad(text: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - lengthOf(text)));
  return isRight ? space + text : text + space;
}

function cut(line: string, width: number): string {
  return lengthOf(line) <= width
    ? line
    : `${Array.from(line)
        .slice(0, width - 1)
        .join('')}…`;
}
