import type { ReadStream } from 'node:fs';
import { type Parser, parse } from 'csv-parse';
import { ForbiddenJson, MalformedJson, parseStrictJson } from '../lib/strict-json.ts';
import { UsageError } from './command.ts';
import { plural } from './plural.ts';

export interface Fault {
  /** Empty if the fault concerns no single field. */
  field: string;
  message: string;
}

/** A value, or why there is none. */
type Row = { value: unknown } | { fault: Fault };

/** The line on which a row begins, and the one on which it ends. */
interface Lines {
  line: number;
  lastLine: number;
}

/** One row of a file. */
export type ImportedRow = Lines & Row;

const BYTE_ORDER_MARK = '\uFEFF';
/** What stands for bytes that are not UTF-8 after they were decoded. */
const REPLACED = '\uFFFD';
const NOT_UTF8 = 'is not UTF-8';

type ReadRows = (stream: ReadStream) => AsyncIterable<ImportedRow>;

/** How to read the rows of a file, by the end of its name. */
export function rowReaderFor(file: string): ReadRows {
  if (file.endsWith('.csv')) return readCsv;
  if (file.endsWith('.ndjson')) return readNdjson;
  throw new UsageError('import takes a file that ends in .csv or .ndjson');
}

async function* readNdjson(stream: ReadStream): AsyncGenerator<ImportedRow> {
  let line = 0;
  for await (const text of linesOf(stream)) {
    line += 1;
    const json = line === 1 ? text.replace(BYTE_ORDER_MARK, '') : text;
    if (json.trim() !== '') yield { line, lastLine: line, ...parseJsonLine(json) };
  }
}

/** Unlike readline, it does not split on U+2028 and U+2029, which a JSON string may contain. */
async function* linesOf(stream: ReadStream): AsyncGenerator<string> {
  stream.setEncoding('utf8');
  let line = '';
  for await (const chunk of stream as AsyncIterable<string>) {
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
  if (text.includes(REPLACED)) return { fault: { field: '', message: NOT_UTF8 } };
  try {
    return { value: parseStrictJson(Buffer.from(text)) };
  } catch (err) {
    if (err instanceof MalformedJson) return { fault: { field: '', message: 'is not valid JSON' } };
    if (err instanceof ForbiddenJson) return { fault: { field: err.field, message: err.message } };
    throw err;
  }
}

interface CsvRecord {
  lines: Lines;
  cells: string[];
}

/** Nothing can be read after a line that is not valid CSV, so that line is the last row. */
async function* readCsv(stream: ReadStream): AsyncGenerator<ImportedRow> {
  stream.setEncoding('utf8');
  let columns: string[] | undefined;
  try {
    for await (const { lines, cells } of recordsOf(withLineFeeds(stream))) {
      if (columns === undefined) columns = cells;
      else yield { ...lines, ...rowOf(columns, cells, lines) };
    }
  } catch (err) {
    if (!(err instanceof MalformedCsv)) throw err;
    const { line, message } = err;
    yield { line, lastLine: line, fault: { field: '', message } };
  }
}

class MalformedCsv extends Error {
  readonly line: number;
  constructor(line: number, reason: string) {
    super(`is not valid CSV: ${reason}; the lines after it were not read`);
    this.line = line;
  }
}

/** A parser that fails drops what it has not handed out yet, so it hands out each record as soon as it is parsed. */
async function* recordsOf(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  let records: CsvRecord[] = [];
  let counts = { lines: 0, empty_lines: 0 };
  const nextLine = ({ empty_lines }: typeof counts) =>
    counts.lines + 1 + empty_lines - counts.empty_lines;
  const parser = parse({
    bom: true,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    on_record: (cells: string[], info) => {
      records.push({ lines: { line: nextLine(info), lastLine: info.lines }, cells });
      counts = info;
    },
  });
  for await (const hasFailed of parseAll(parser, chunks)) {
    yield* records;
    records = [];
    if (!hasFailed) continue;
    const reason = 'a quote is not closed or stands inside a cell';
    throw new MalformedCsv(nextLine(parser.info), reason);
  }
}

/** Says after each chunk, and at the end, whether the parser has failed. */
async function* parseAll(parser: Parser, chunks: AsyncIterable<string>): AsyncGenerator<boolean> {
  // The calls below learn of it as well.
  parser.on('error', () => {});
  const hasFailed = (parsing: (done: (err?: Error | null) => void) => unknown) =>
    new Promise<boolean>((resolve) => parsing((err) => resolve(Boolean(err))));
  for await (const chunk of chunks) yield await hasFailed((done) => parser.write(chunk, done));
  yield await hasFailed((done) => parser.end(done));
}

/** Ends every line with a line feed alone, so that each is counted once. */
async function* withLineFeeds(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let isAfterReturn = false;
  for await (const chunk of chunks) {
    const rest = isAfterReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    isAfterReturn = chunk.endsWith('\r');
    yield rest.replace(/\r\n?/g, '\n');
  }
}

function rowOf(columns: string[], cells: string[], { line }: Lines): Row {
  if (cells.length !== columns.length) {
    const many = plural(cells.length, 'cell');
    throw new MalformedCsv(line, `it has ${many}, not ${columns.length}`);
  }
  const record = Object.fromEntries(columns.map((name, at) => [name, cells[at]!]));
  const garbled = columns.find((name) => record[name]!.includes(REPLACED));
  if (garbled === undefined) return { value: fromCsv(record) };
  return { fault: { field: garbled, message: NOT_UTF8 } };
}

/**
 * An empty cell is an absent field. CSV knows only text, so ids are read as numbers. The id of a pet is left out, so that
 * what `petstore pets list -o csv` prints can be imported.
 */
function fromCsv(record: Record<string, string>): Record<string, unknown> {
  const filled = Object.entries(record).filter(([name, text]) => text !== '' && name !== 'id');
  return Object.fromEntries(
    filled.map(([name, text]) => [
      name,
      name === 'categoryId' && /^\d+$/.test(text) ? Number(text) : text,
    ]),
  );
}
