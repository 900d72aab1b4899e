import type { Category, NewPet, PetStatus, RowResult } from '@petstore/client';
import { importWords as words } from '../../../words/catalogue.ts';
import { CsvError, type CsvRow, parseCsv } from './parse-csv.ts';

/** A row of the file. */
export interface PetRow {
  line: number;
  name: string;
  category: string;
  status: string;
  reference: string;
  lowStockAt: string;
  /** What is sent for it; absent if the row cannot be sent. A category that is not there yet is named. */
  pet?: Omit<NewPet, 'categoryId'> & { categoryId: number | string };
  /** Why it is not sent, or why the service refused it. */
  problem?: string;
}

export interface PetFile {
  rows: PetRow[];
  /** Columns that are not read. */
  ignored: string[];
  /** Categories that are created first. */
  missing: string[];
}

export const ROWS_MAX = 1_000;
const ROWS_PER_REQUEST = 100;

/** The cost of an import in requests of the plan. */
export function costOf(rows: number): number {
  return Math.ceil(rows / ROWS_PER_REQUEST);
}

/** The rows of a file, or a text that says why it cannot be read. */
export function readPets(text: string, categories: readonly Category[]): PetFile | string {
  if (text.includes('\uFFFD')) return words.notText;
  try {
    return fileOf(parseCsv(text), categories);
  } catch (err) {
    if (!(err instanceof CsvError)) throw err;
    return (err.kind === 'open_quote' ? words.openQuote : words.afterQuote)(err.line);
  }
}

const ID = /^\d{1,15}$/;

const names: Record<string, keyof typeof words.fields> = {
  name: 'name',
  category: 'categoryId',
  categoryid: 'categoryId',
  category_id: 'categoryId',
  status: 'status',
  reference: 'reference',
  lowstockat: 'lowStockAt',
  low_stock_at: 'lowStockAt',
};

function fileOf(file: CsvRow[], categories: readonly Category[]): PetFile | string {
  // A spreadsheet writes its empty rows as delimiters alone.
  const [head, ...body] = file.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (!head || body.length === 0) return words.noRows;
  const columns = head.cells.map((cell) => names[cell.trim().toLowerCase()]);
  if (!columns.includes('name')) return words.noColumn('name');
  if (!columns.includes('categoryId')) return words.noColumn('category');
  if (body.length > ROWS_MAX) return words.tooMany(body.length);
  // In a column of ids, 3 is an id, also if a category is called 3.
  const isOfIds = /id$/i.test(head.cells[columns.indexOf('categoryId')]!.trim());
  const named = categories.filter(({ name }) => !isOfIds || !ID.test(name));
  const ids = new Map(named.map(({ id, name }) => [name.toLowerCase(), id]));
  const cellOf = ({ cells }: CsvRow, name: string) => unguarded(cells[columns.indexOf(name)] ?? '');
  const rows = body.map((row) =>
    checked(
      {
        line: row.line,
        name: cellOf(row, 'name'),
        category: cellOf(row, 'categoryId'),
        status: cellOf(row, 'status').toLowerCase(),
        reference: cellOf(row, 'reference'),
        lowStockAt: cellOf(row, 'lowStockAt'),
      },
      ids,
    ),
  );
  return {
    ignored: head.cells.filter((_, index) => columns[index] === undefined),
    rows,
    missing: missingIn(rows),
  };
}

/** The categories that rows name and the store does not have. Upper and lower case make no difference. */
function missingIn(rows: readonly PetRow[]): string[] {
  const names = rows.flatMap(({ pet }) =>
    typeof pet?.categoryId === 'string' ? [pet.categoryId] : [],
  );
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}

const STATUSES = ['', 'available', 'pending', 'sold'];
const NAME_LENGTH_MAX = 200;
const UNITS_MAX = 1_000_000;

/** An exported text that a spreadsheet would run has a quote in front, which is not part of it. */
function unguarded(cell: string): string {
  return cell.trim().replace(/^'(?=[=+\-@])/, '');
}

function checked(row: PetRow, ids: ReadonlyMap<string, number>): PetRow {
  const { name, category, status, reference, lowStockAt } = row;
  if (name === '') return { ...row, problem: words.noName };
  if (name.length > NAME_LENGTH_MAX) return { ...row, problem: words.longName(NAME_LENGTH_MAX) };
  if (category === '') return { ...row, problem: words.noCategory };
  if (!STATUSES.includes(status)) return { ...row, problem: words.unknownStatus(status) };
  const byName = ids.get(category.toLowerCase());
  const categoryId = byName ?? (ID.test(category) ? Number(category) : category);
  if (String(categoryId).length > NAME_LENGTH_MAX) {
    return { ...row, problem: words.longCategory(NAME_LENGTH_MAX) };
  }
  if (lowStockAt !== '' && !(/^\d+$/.test(lowStockAt) && Number(lowStockAt) <= UNITS_MAX)) {
    return { ...row, problem: words.notUnits(lowStockAt) };
  }
  const pet = {
    name,
    categoryId,
    ...(status !== '' && { status: status as PetStatus }),
    ...(reference !== '' && { reference }),
    ...(lowStockAt !== '' && { lowStockAt: Number(lowStockAt) }),
  };
  return { ...row, pet };
}

/** The rows that were not created: those that were not sent, and those that the service refused, by line. */
export function refusedRows(rows: readonly PetRow[], results: readonly RowResult[]): PetRow[] {
  const sent = rows.filter(({ pet }) => pet !== undefined);
  const refused = sent.flatMap((row, index) => {
    const errors = results[index]?.errors;
    return errors ? [{ ...row, problem: errors.map(errorOf).join('; ') }] : [];
  });
  const unsent = rows.filter(({ pet }) => pet === undefined);
  return [...unsent, ...refused].sort((a, b) => a.line - b.line);
}

function errorOf({ field, message }: { field: string; message: string }): string {
  return words.rowError(words.fields[field] ?? field, message);
}
