// Records as people read them on a terminal: cut by column, aligned, with local times and without JSON.

export type Record_ = Readonly<Record<string, unknown>>;

interface Screen {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

const GAP = '  ';
/** A column is not cut below this. */
const COLUMN_MIN = 6;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Numbers to the right, texts to the left. Where a row is wider than the terminal, its widest texts are cut. */
export function table(
  records: readonly Record_[],
  columns: readonly string[],
  screen: Screen,
): string {
  const isNumber = columns.map((column) =>
    records.some((record) => typeof record[column] === 'number'),
  );
  // Half an id is of no use, nor is a time without its hours.
  const isWhole = columns.map(
    (column, at) =>
      isNumber[at]! || column === 'id' || records.some((each) => isInstant(each[column])),
  );
  const head = columns.map((column) => headingOf(column, columns));
  const rows = records.map((record) => columns.map((column) => cellText(record[column], screen)));
  const all = [head, ...rows];
  const widest = widestIn(all, columns.length);
  const most = screen.columns || Number.POSITIVE_INFINITY;
  const short = widest.map((width, at) => (isWhole[at] ? width : COLUMN_MIN));
  // Of a column of numbers the heading is cut: the beginning of a number is another number.
  const numbers = widestIn(rows, columns.length);
  const least = numbers.map((width, at) => Math.max(isNumber[at] ? width : 0, COLUMN_MIN));
  const widths = fitted(fitted(widest, short, most), least, most);
  // A text that reaches beyond the terminal is cut there. A number is left out, with what follows.
  const starts = widths.map((_, at) =>
    widths.slice(0, at).reduce((sum, each) => sum + each + GAP.length, GAP.length),
  );
  const beyond = widths.findIndex((width, at) => starts[at]! + (isNumber[at] ? width : 2) > most);
  const shown = beyond < 1 ? widths : widths.slice(0, beyond);
  return all
    .map((row) => {
      const cells = shown.map((width, at) => pad(cut(row[at]!, width), width, isNumber[at]!));
      const line = `${GAP}${cells.join(GAP)}`.trimEnd();
      return `${cut(line, most)}\n`;
    })
    .join('');
}

/** One record: a field a line, then a table for each list of records in it. */
export function fieldList(record: Record_, columns: readonly string[], screen: Screen): string {
  const isTable = (column: string) => isRecords(record[column]);
  const width = Math.max(0, ...columns.map((column) => column.length));
  const lines = columns
    .filter((column) => !isTable(column))
    .map((column) => {
      const text = isEmptyList(record[column]) ? 'none' : cellText(record[column], screen);
      return `${column.padEnd(width)}  ${text}\n`;
    });
  const tables = columns.filter(isTable).map((column) => {
    const records = record[column] as readonly Record_[];
    const names = [...new Set(records.flatMap((each) => Object.keys(each)))];
    return `\n${column}\n${table(records, names, screen)}`;
  });
  return [...lines, ...tables].join('').replace(/^\n/, '');
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isInstant(value: unknown): boolean {
  return typeof value === 'string' && INSTANT.test(value);
}

function isRecords(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

function isRecord(value: unknown): value is Record_ {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `quantityAfter` is shown as QUANTITY AFTER, `petId` as PET, or as PET ID beside the name of the pet. */
function headingOf(column: string, columns: readonly string[]): string {
  const words = column.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`);
  const isBesideName = columns.includes(column.replace(/Id$/, '')) && column.endsWith('Id');
  return (isBesideName ? words : words.replace(/(.) Id$/, '$1')).toUpperCase();
}

/** A value on one line, without characters that would control the terminal. */
function cellText(value: unknown, screen: Screen): string {
  return textOf(value, screen).replace(/[\s\p{Cc}]+/gu, ' ');
}

function textOf(value: unknown, screen: Screen): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) {
    return value.map((item) => textOf(item, screen)).join(value.some(isRecord) ? '; ' : ', ');
  }
  if (isRecord(value)) {
    const fields = Object.entries(value).map(([name, item]) => {
      const text = textOf(item, screen);
      return isRecord(item) ? `${name} (${text})` : `${name} ${text}`;
    });
    return fields.join(', ');
  }
  return screen.isTTY && isInstant(value) ? localTime(new Date(String(value))) : String(value);
}

function localTime(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** The width of the widest cell of each column. */
function widestIn(rows: readonly (readonly string[])[], columns: number): number[] {
  const widths = Array<number>(columns).fill(0);
  // Not Math.max(...widths): a call takes some 100,000 arguments, and a table may have more rows.
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at]!, widthOf(cell));
  return widths;
}

/** Takes width from the widest column again and again, until the row fits or no column is above its least width. */
function fitted(widest: readonly number[], least: readonly number[], most: number): number[] {
  const widths = [...widest];
  const excess = () => widths.reduce((sum, width) => sum + width + GAP.length, 0) - most;
  for (let over = excess(); over > 0; over = excess()) {
    const wide = widths.map((width, at) => (width > least[at]! ? width : 0));
    const first = Math.max(...wide);
    if (first === 0) break;
    const at = wide.indexOf(first);
    const second = Math.max(least[at]!, ...wide.filter((width) => width < first));
    const isShared = wide.filter((width) => width === first).length > 1;
    widths[at] = isShared ? first - 1 : Math.max(second, first - over);
  }
  return widths;
}

/** Columns of a terminal: wide characters take two, marks none. */
function widthOf(text: string): number {
  // Most texts.
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (/\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F/u.test(grapheme)) return 2;
  if (
    /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303E\uFF01-\uFF60]/u.test(
      grapheme,
    )
  ) {
    return 2;
  }
  return /^[\p{Mn}\p{Cf}]+$/u.test(grapheme) ? 0 : 1;
}

function pad(text: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return isRight ? space + text : text + space;
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += graphemeWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
