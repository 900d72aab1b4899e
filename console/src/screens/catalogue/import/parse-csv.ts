// CSV as RFC 4180 describes it, and as spreadsheets write it: with a byte order mark, with `;` or a tab, with LF alone,
// with a first line such as `sep=;`.

/** A row, and the line of the file in which it begins. */
export interface CsvRow {
  line: number;
  cells: string[];
}

export class CsvError extends Error {
  readonly kind: 'open_quote' | 'after_quote';
  readonly line: number;

  constructor(kind: CsvError['kind'], line: number) {
    super(`${kind} in line ${line}`);
    this.kind = kind;
    this.line = line;
  }
}

/** The rows of a text. Empty lines are left out. */
export function parseCsv(text: string): CsvRow[] {
  const input = text.replace(/^\uFEFF/, '');
  const [named = '', given] = /^"?sep=(.)"?(?:\r\n|\r|\n)/i.exec(input) ?? [];
  const delimiter = given ?? delimiterOf(input);
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let line = named ? 2 : 1;
  let start = line;
  let at = named.length;
  const endRow = () => {
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: start, cells });
    cells = [];
  };
  while (at < input.length) {
    const cell = input[at] === '"' ? quoted(input, at, line) : plain(input, at, delimiter);
    cells.push(cell.text);
    line += cell.lines;
    at = cell.end;
    const next = input[at];
    if (next === delimiter) {
      at += 1;
      // A delimiter at the very end has an empty cell behind it.
      if (at === input.length) cells.push('');
      continue;
    }
    if (next !== undefined && next !== '\r' && next !== '\n')
      throw new CsvError('after_quote', line);
    endRow();
    at += next === '\r' && input[at + 1] === '\n' ? 2 : 1;
    line += 1;
    start = line;
  }
  if (cells.length > 0) endRow();
  return rows;
}

interface Cell {
  text: string;
  /** Where it ends. */
  end: number;
  /** The line breaks inside it. */
  lines: number;
}

function plain(input: string, from: number, delimiter: string): Cell {
  let end = from;
  while (end < input.length && input[end] !== delimiter && !/[\r\n]/.test(input[end]!)) end += 1;
  return { text: input.slice(from, end), end, lines: 0 };
}

/** A cell in quotation marks. A mark inside it is doubled. */
function quoted(input: string, from: number, line: number): Cell {
  let end = from + 1;
  for (;;) {
    end = input.indexOf('"', end);
    if (end < 0) throw new CsvError('open_quote', line);
    if (input[end + 1] !== '"') break;
    end += 2;
  }
  const text = input.slice(from + 1, end).replaceAll('""', '"');
  return { text, end: end + 1, lines: text.match(/\r\n|\r|\n/g)?.length ?? 0 };
}

/** The delimiter that the first line has most of. */
function delimiterOf(input: string): string {
  const [first = ''] = input.split(/[\r\n]/, 1);
  const count = (delimiter: string) => first.split(delimiter).length;
  return [';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best), ',');
}
