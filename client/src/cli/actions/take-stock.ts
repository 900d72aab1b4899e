import { Inventory, type StockBatchResult } from '../../contract.ts';
import type { FieldFault } from '../../error-codes.ts';
import { PetstoreError } from '../../errors.ts';
import { readAll, readText } from '../ask.ts';
import {
  type Arguments,
  RefusedRowsError,
  type Terminal,
  UsageError,
  WrongWords,
} from '../command.ts';
import { connect } from '../connection.ts';
import { type Format, formatIn, printRows } from '../output.ts';
import { type CsvRow, csvRows } from './csv-rows.ts';

const COLUMNS = ['petId', 'quantity', 'delta', 'reason', 'reference'];
/** So that the output of `stock list -o csv` can be edited and read. */
const IGNORED = ['pet', 'reserved', 'available', 'status'];
const SHOWN = ['line', 'petId', 'before', 'after', 'error'];
const NUMBERS = new Set(['petId', 'quantity', 'delta']);
const ROWS_MAX = 1_000;

type Item = Record<string, string | number>;

/** Sets the stock to the counts of a CSV file: `petstore stock take counts.csv`. */
export async function takeStock(args: Arguments, terminal: Terminal): Promise<void> {
  const { words, flags } = args;
  const mode = flags.get('mode')?.[0] ?? 'all';
  if (words.length !== 1 || (mode !== 'all' && mode !== 'each')) {
    throw new WrongWords();
  }
  const format = formatIn(args, terminal);
  const [file] = words as [string];
  const text = file === '-' ? await readAll(terminal) : readText(file, `the file ${file}`);
  const rows = csvRows(text, COLUMNS, IGNORED);
  if (rows.length === 0) throw new UsageError(`${file} has no rows`);
  if (rows.length > ROWS_MAX && mode === 'all') {
    const most = ROWS_MAX.toLocaleString('en');
    throw new UsageError(`at most ${most} rows change all or none: pass --mode each for more`);
  }
  const reason = flags.get('reason')?.[0];
  // All rows are converted before the first part is sent, so a file with a wrong cell changes nothing.
  const items = rows.map((row) => itemOf(row, reason));
  refuseRepeatedPets(rows, items);
  const inventory = new Inventory(connect(args, terminal).transport);
  const options = { signal: terminal.signal, dryRun: flags.has('dry-run') };
  const total: StockBatchResult = { changed: 0, unchanged: 0, refused: 0, results: [] };
  try {
    for (let at = 0; at < items.length; at += ROWS_MAX) {
      const body = { items: items.slice(at, at + ROWS_MAX), mode };
      const part = await inventory.setMany(body as never, options);
      total.changed += part.changed;
      total.unchanged += part.unchanged;
      total.refused += part.refused;
      total.results.push(...part.results);
    }
  } catch (err) {
    reportLines(err, rows, terminal);
    throw err;
  } finally {
    // If a part fails, those before it have changed the stock.
    if (total.results.length > 0) print(rows, total, format, args, terminal);
  }
  if (total.refused > 0) throw new RefusedRowsError(total.refused);
}

/** Names the line of each row that the service refused the batch for. */
function reportLines(err: unknown, rows: readonly CsvRow[], { stderr }: Terminal): void {
  if (!(err instanceof PetstoreError)) return;
  const { message } = err;
  const details = err.details as Partial<FieldFault[] & { index: number }> | undefined;
  // Rows that are not valid are all named; of those that do not fit, the first.
  const faults = Array.isArray(details) ? details : [{ field: `items.${details?.index}`, message }];
  for (const { field, message: reason } of faults) {
    const [, at, name] = /^items\.(\d+)(?:\.(\w+))?$/.exec(field) ?? [];
    const row = rows[Number(at)];
    if (row) stderr.write(`petstore: line ${row.line}: ${name ? `${name} ` : ''}${reason}\n`);
  }
}

/** The service refuses a pet that is in one batch twice. It does not see the other parts of a file. */
function refuseRepeatedPets(rows: readonly CsvRow[], items: readonly Item[]): void {
  const lines = new Map<unknown, number>();
  for (const [at, { petId }] of items.entries()) {
    const { line } = rows[at]!;
    const known = lines.get(petId);
    if (petId !== undefined && known !== undefined) {
      throw new UsageError(`line ${line}: pet ${petId} is also on line ${known}`);
    }
    lines.set(petId, line);
  }
}

function itemOf({ line, cells }: CsvRow, reason: string | undefined): Item {
  const fields = Object.entries({ ...(reason === undefined ? {} : { reason }), ...cells });
  const item = fields.map(([name, text]): [string, string | number] => {
    if (!NUMBERS.has(name)) return [name, text];
    if (!/^-?\d+$/.test(text)) throw new UsageError(`line ${line}: ${name} must be an integer`);
    return [name, Number(text)];
  });
  return Object.fromEntries(item);
}

function print(
  rows: readonly CsvRow[],
  total: StockBatchResult,
  format: Format,
  args: Arguments,
  terminal: Terminal,
): void {
  const records = total.results.map(({ movement, error }, at) => ({
    line: rows[at]!.line,
    petId: Number(rows[at]!.cells.petId),
    ...(movement ? { before: movement.quantityBefore, after: movement.quantityAfter } : {}),
    ...(error ? { error: error.message } : {}),
  }));
  if (format === 'json') terminal.stdout.write(`${JSON.stringify(total)}\n`);
  else printRows({ records, columns: SHOWN }, format, args, terminal);
  if (args.flags.has('quiet')) return;
  const { changed, unchanged, refused } = total;
  terminal.stderr.write(
    `petstore: ${changed} changed, ${unchanged} unchanged, ${refused} refused\n`,
  );
}
