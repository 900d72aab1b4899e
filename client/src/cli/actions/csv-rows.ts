import { UsageError } from '../command.ts';

/** A row of a file: its line and its cells by the name of their column. Empty cells are left out. */
export interface CsvRow {
  line: number;
  cells: Record<string, string>;
}

const SEPARATORS = [',', ';', '\t'];

/**
 * Reads CSV as RFC 4180 has it: the first line names the columns, in whatever case, and cells in quotes may hold anything.
 * Cells are separated by commas, semicolons or tabs; a line may also end in CR alone. Columns in `ignored` are left out.
 */
export function csvRows(
  text: string,
  columns: readonly string[],
  ignored: readonly string[] = [],
): CsvRow[] {
  const unmarked = text.replace(/^\uFEFF/, '');
  if (unmarked.trim() === '') throw new UsageError('the file is empty');
  if (/^\s*[[{]/.test(unmarked)) throw new UsageError('the file is JSON; CSV is expected');
  const [head, ...records] = recordsOf(unmarked, separatorOf(unmarked));
  const known = [...columns, ...ignored];
  const names = (head?.cells ?? []).map((cell) => {
    return known.find((name) => name.toLowerCase() === cell.toLowerCase()) ?? cell;
  });
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined || names.length === 0) {
    throw new UsageError(
      `line 1 must name the columns, which may be ${columns.join(', ')}; it has "${unknown ?? ''}"`,
    );
  }
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) throw new UsageError(`line 1 names the column ${repeated} twice`);
  return records.map(({ line, cells }) => {
    if (cells.length !== names.length) {
      throw new UsageError(`line ${line} has ${cells.length} cells, not ${names.length}`);
    }
    const filled = names.map((name, at) => [name, unescaped(cells[at]!)] as const);
    const kept = filled.filter(([name, cell]) => cell !== '' && columns.includes(name));
    return { line, cells: Object.fromEntries(kept) };
  });
}

/** The quote in front of a cell that a spreadsheet would run as a formula is none of its text. */
function unescaped(cell: string): string {
  return cell.replace(/^'(?=[=+\-@])/, '');
}

/** The separator that the first line has most often. */
function separatorOf(text: string): string {
  const [head = ''] = text.split(/[\r\n]/, 1);
  const counts = SEPARATORS.map((separator) => head.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

function recordsOf(text: string, separator: string): { line: number; cells: string[] }[] {
  const records: { line: number; cells: string[] }[] = [];
  let line = 1;
  let cells: string[] = [];
  let start = 1;
  // Each match is a cell, in quotes or plain, and what ends it.
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r\\n?|\\n|$)`,
    'gy',
  );
  for (const [all, quoted, plain = '', end] of text.matchAll(cell)) {
    if (all === '' && cells.length === 0) return records;
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    line += all.match(/\r\n?|\n/g)?.length ?? 0;
    if (end === separator) continue;
    if (cells.length > 1 || cells[0] !== '') records.push({ line: start, cells });
    cells = [];
    start = line;
    if (end === '') return records;
  }
  throw new UsageError(
    `line ${start} is not valid CSV: a quote is not closed or stands inside a cell`,
  );
}
