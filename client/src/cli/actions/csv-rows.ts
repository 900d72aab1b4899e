import { UsageError } from '../command.ts';

/** A row of a CSV file: its line and its cells by the name of their column. Empty cells are left out. */
export interface CsvRow {
  line: number;
  cells: Record<string, string>;
}

/** Reads CSV as RFC 4180 has it: the first line names the columns, and cells in quotes may hold anything. */
export function csvRows(text: string, columns: readonly string[]): CsvRow[] {
  const [head, ...records] = recordsOf(text.replace(/^\uFEFF/, ''));
  const names = head?.cells ?? [];
  const unknown = names.find((name) => !columns.includes(name));
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
    const filled = names.map((name, at) => [name, cells[at]!] as const);
    return { line, cells: Object.fromEntries(filled.filter(([, cell]) => cell !== '')) };
  });
}

function recordsOf(text: string): { line: number; cells: string[] }[] {
  const records: { line: number; cells: string[] }[] = [];
  let line = 1;
  let cells: string[] = [];
  let start = 1;
  // Each match is a cell, in quotes or plain, and what ends it.
  for (const [all, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy,
  )) {
    if (all === '' && cells.length === 0) return records;
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    line += all.split('\n').length - 1;
    if (end === ',') continue;
    if (cells.length > 1 || cells[0] !== '') records.push({ line: start, cells });
    cells = [];
    start = line;
    if (end === '') return records;
  }
  throw new UsageError(
    `line ${start} is not valid CSV: a quote is not closed or stands inside a cell`,
  );
}
