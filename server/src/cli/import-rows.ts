// The bytes of a file are read as Latin-1, a character for each, and split into lines or cells. Each of these is then
// decoded by itself, so bytes that are not UTF-8 refuse their row and no other.

import { isUtf8 } from 'node:buffer';
import type { ReadStream } from 'node:fs';
import { ForbiddenJson, MalformedJson, parseStrictJson } from '../lib/strict-json.ts';
import { UsageError } from './command.ts';
import { csvRecordsOf, type Lines, UnreadableLine } from './import/csv-records.ts';
import { plural } from './plural.ts';

export interface Fault {
  /** Empty if the fault concerns no single field. */
  field: string;
  message: string;
}

/** A value, or why there is none. */
type Row = { value: unknown } | { fault: Fault };

/** One row of a file. */
export type ImportedRow = Lines & Row;

/** The bytes EF BB BF. */
const BYTE_ORDER_MARK = '\xEF\xBB\xBF';
const NOT_UTF8 = 'is not UTF-8';

type ReadRows = (stream: ReadStream) => AsyncIterable<ImportedRow>;

/** How to read the rows of a file, by the end of its name. */
export function rowReaderFor(file: string): ReadRows {
  if (file.endsWith('.csv')) return readCsv;
  if (file.endsWith('.ndjson')) return readNdjson;
  throw new UsageError('import takes a file that ends in .csv or .ndjson');
}

/** The bytes of a file as Latin-1, without its byte order mark. */
async function* chunksOf(stream: ReadStream): AsyncGenerator<string> {
  stream.setEncoding('latin1');
  let start = '';
  let isStart = true;
  for await (const chunk of stream as AsyncIterable<string>) {
    if (isStart) start += chunk;
    else yield chunk;
    if (!isStart || start.length < BYTE_ORDER_MARK.length) continue;
    yield start.startsWith(BYTE_ORDER_MARK) ? start.slice(BYTE_ORDER_MARK.length) : start;
    isStart = false;
  }
  if (isStart) yield start;
}

async function* readNdjson(stream: ReadStream): AsyncGenerator<ImportedRow> {
  let line = 0;
  for await (const text of linesOf(chunksOf(stream))) {
    line += 1;
    if (/[^ \t\r]/.test(text)) yield { line, lastLine: line, ...parseJsonLine(text) };
  }
}

/** Unlike readline, it splits on line feeds alone. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let line = '';
  for await (const chunk of chunks) {
    const [end, ...starts] = chunk.split('\n');
    line += end;
    for (const start of starts) {
      yield line;
      line = start;
    }
  }
  yield line;
}

function parseJsonLine(text: string): Row {
  const bytes = Buffer.from(text, 'latin1');
  if (!isUtf8(bytes)) return { fault: { field: '', message: NOT_UTF8 } };
  try {
    return { value: parseStrictJson(bytes) };
  } catch (err) {
    if (err instanceof MalformedJson) return { fault: { field: '', message: 'is not valid JSON' } };
    if (err instanceof ForbiddenJson) return { fault: { field: err.field, message: err.message } };
    throw err;
  }
}

/** A line after which nothing can be read is the last row. */
async function* readCsv(stream: ReadStream): AsyncGenerator<ImportedRow> {
  let columns: string[] | undefined;
  try {
    for await (const { lines, cells } of csvRecordsOf(chunksOf(stream))) {
      const texts = cells.map(decode);
      if (columns === undefined) columns = columnsOf(texts, lines);
      else yield { ...lines, ...rowOf(columns, texts, lines) };
    }
  } catch (err) {
    if (!(err instanceof UnreadableLine)) throw err;
    const { line, message } = err;
    yield { line, lastLine: line, fault: { field: '', message } };
  }
}

/** Returns undefined for bytes that are not UTF-8. */
function decode(text: string): string | undefined {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

function columnsOf(names: readonly (string | undefined)[], { line }: Lines): string[] {
  return names.map((name, at) => {
    if (name === undefined) throw new UnreadableLine(line, NOT_UTF8);
    // A spreadsheet may leave several columns without a name.
    if (name !== '' && names.indexOf(name) < at) {
      throw new UnreadableLine(line, `names the column ${name} twice`);
    }
    return name;
  });
}

/**
 * An empty cell is an absent field. CSV knows only text, so ids are read as numbers. The id of a pet is left out, so that
 * what `petstore pets list -o csv` prints can be imported.
 */
function rowOf(
  columns: readonly string[],
  cells: readonly (string | undefined)[],
  { line }: Lines,
): Row {
  if (cells.length !== columns.length) {
    const many = plural(cells.length, 'cell');
    throw new UnreadableLine(line, `is not valid CSV: it has ${many}, not ${columns.length}`);
  }
  const value: [string, unknown][] = [];
  for (const [at, name] of columns.entries()) {
    const text = cells[at];
    if (text === undefined) return { fault: { field: name, message: NOT_UTF8 } };
    const isId = name === 'categoryId' && /^\d+$/.test(text);
    if (text !== '' && name !== 'id') value.push([name, isId ? Number(text) : text]);
  }
  return { value: Object.fromEntries(value) };
}
