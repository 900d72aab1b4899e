import { type Parser, parse } from 'csv-parse';

/** The line on which a row begins, and the one on which it ends. */
export interface Lines {
  line: number;
  lastLine: number;
}

interface CsvRecord {
  lines: Lines;
  cells: string[];
}

/** A line that ends the reading of a file. */
export class UnreadableLine extends Error {
  readonly line: number;
  constructor(line: number, reason: string) {
    super(`${reason}; the lines after it were not read`);
    this.line = line;
  }
}

/** The records of a CSV file whose bytes are given as Latin-1. Throws an UnreadableLine after the last one it can read. */
export async function* csvRecordsOf(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  // A parser that fails drops what it has not handed out yet, so it hands out each record as soon as it is parsed.
  let records: CsvRecord[] = [];
  let counts = { lines: 0, empty_lines: 0 };
  const nextLine = ({ empty_lines }: typeof counts) =>
    counts.lines + 1 + empty_lines - counts.empty_lines;
  const parser = parse({
    encoding: 'latin1',
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    on_record: (cells: string[], info) => {
      records.push({ lines: { line: nextLine(info), lastLine: info.lines }, cells });
      counts = info;
    },
  });
  for await (const hasFailed of parseAll(parser, withLineFeeds(chunks))) {
    yield* records;
    records = [];
    if (!hasFailed) continue;
    const reason = 'is not valid CSV: a quote is not closed or stands inside a cell';
    throw new UnreadableLine(nextLine(parser.info), reason);
  }
}

/** Says after each chunk, and at the end, whether the parser has failed. */
async function* parseAll(parser: Parser, chunks: AsyncIterable<string>): AsyncGenerator<boolean> {
  // The calls below learn of it as well.
  parser.on('error', () => {});
  const hasFailed = (parsing: (done: (err?: Error | null) => void) => unknown) =>
    new Promise<boolean>((resolve) => parsing((err) => resolve(Boolean(err))));
  for await (const chunk of chunks) {
    yield await hasFailed((done) => parser.write(chunk, 'latin1', done));
  }
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
