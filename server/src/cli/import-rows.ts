import type { ReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { ForbiddenJson, MalformedJson, parseStrictJson } from '../lib/strict-json.ts';
import { UsageError } from './command.ts';

export interface Fault {
  /** Empty if the fault concerns no single field. */
  field: string;
  message: string;
}

/** One row of a file: a value, or why there is none. */
export type ImportedRow = { line: number } & ({ value: unknown } | { fault: Fault });

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
    if (json.trim() !== '') yield { line, ...parseJsonLine(json) };
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

function parseJsonLine(text: string): { value: unknown } | { fault: Fault } {
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
  record: Record<string, string>;
  info: { lines: number };
}

/** Nothing can be read after a line that is not valid CSV, so that line is the last row. */
async function* readCsv(stream: ReadStream): AsyncGenerator<ImportedRow> {
  const parser = parse({ columns: true, info: true, skip_empty_lines: true, bom: true });
  // Where reading fails, the parser fails too, and with it the loop.
  pipeline(stream, parser, () => {});
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      const garbled = Object.keys(record).find((name) => record[name]!.includes(REPLACED));
      const line = info.lines;
      if (garbled === undefined) yield { line, value: fromCsv(record) };
      else yield { line, fault: { field: garbled, message: NOT_UTF8 } };
    }
  } catch (err) {
    if (!(err instanceof CsvError)) throw err;
    const message = `is not valid CSV: ${err.message}; the lines after it were not read`;
    yield { line: parser.info.lines, fault: { field: '', message } };
  }
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
