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
import { type Format, fieldsIn, formatIn, note, printRows } from '../output.ts';
import { unansweredText } from '../unknown-outcome.ts';
import { type CsvRow, csvRows } from './csv-rows.ts';
import { partsOf, ROWS_MAX } from './parts.ts';

const COLUMNS = ['petId', 'quantity', 'delta', 'reason', 'reference'];
/** So that the output of `stock list -o csv` can be edited and read. */
const IGNORED = ['pet', 'reserved', 'available', 'status'];
const SHOWN = ['line', 'petId', 'before', 'after', 'error'];
const NUMBERS = new Set(['petId', 'quantity', 'delta']);

export type Item = Record<string, string | number>;
type Mode = 'all' | 'each';

interface Counts {
  rows: readonly CsvRow[];
  /** Of the rows, in their order. */
  items: readonly Item[];
  mode: Mode;
}

/** Sets the stock to the counts of a CSV file: `petstore stock take counts.csv`. */
export async function takeStock(args: Arguments, terminal: Terminal): Promise<void> {
  const [file] = args.words;
  const mode = modeIn(args, 'all');
  if (file === undefined) throw new WrongWords();
  const rows = csvRows(await textOf(file, terminal), COLUMNS, IGNORED);
  if (rows.length === 0) throw new UsageError(`${file} has no rows`);
  const reason = args.flags.get('reason')?.[0];
  // All rows are converted before the first part is sent, so a file with a wrong cell changes nothing.
  const items = rows.map((row) => itemOf(row, reason));
  await changeStock({ rows, items, mode }, args, terminal);
}

export function modeIn({ flags }: Arguments, other: Mode): Mode {
  const mode = flags.get('mode')?.[0] ?? other;
  if (mode !== 'all' && mode !== 'each') {
    throw new UsageError('--mode must be one of all, each');
  }
  return mode;
}

export async function textOf(file: string, terminal: Terminal): Promise<string> {
  return file === '-' ? await readAll(terminal) : readText(file, `the file ${file}`);
}

/** Sends the rows of a file in parts, and prints what became of each. */
export async function changeStock(
  { rows, items, mode }: Counts,
  args: Arguments,
  terminal: Terminal,
): Promise<void> {
  const format = formatIn(args, terminal);
  fieldsIn(args, SHOWN);
  const parts = partsOf(items, (item) => item);
  if (parts.length > 1 && mode === 'all') {
    const most = ROWS_MAX.toLocaleString('en');
    throw new UsageError(
      `at most ${most} rows, in one request, change all or none: pass --mode each for more`,
    );
  }
  refuseRepeatedPets(rows, items);
  const { transport, writes } = connect(args, terminal);
  const inventory = new Inventory(transport);
  const options = { signal: terminal.signal, dryRun: args.flags.has('dry-run') };
  const total: StockBatchResult = { changed: 0, unchanged: 0, refused: 0, results: [] };
  let sent: readonly Item[] = [];
  try {
    for (const items of parts) {
      sent = items;
      const part = await inventory.setMany({ items, mode } as never, options);
      total.changed += part.changed;
      total.unchanged += part.unchanged;
      total.refused += part.refused;
      total.results.push(...part.results);
    }
  } catch (err) {
    reportLines(err, rows, terminal);
    const unanswered = rows.slice(total.results.length, total.results.length + sent.length);
    if (writes.isUnknown) {
      const lines = unanswered.map(({ line }) => line);
      terminal.stderr.write(`petstore: ${unansweredText(lines, 'applied')}\n`);
    }
    throw err;
  } finally {
    // If a part fails, those before it have changed the stock.
    if (total.results.length > 0) print({ rows, items, mode }, total, format, args, terminal);
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
    return [name, NUMBERS.has(name) ? integerIn(line, cells, name)! : text];
  });
  return Object.fromEntries(item);
}

/** The integer in a cell; undefined if it is empty. */
export function integerIn(line: number, cells: CsvRow['cells'], name: string): number | undefined {
  const text = cells[name];
  if (text === undefined) return undefined;
  if (!/^-?\d+$/.test(text)) throw new UsageError(`line ${line}: ${name} must be an integer`);
  return Number(text);
}

function print(
  { rows, items }: Counts,
  total: StockBatchResult,
  format: Format,
  args: Arguments,
  terminal: Terminal,
): void {
  const records = total.results.map(({ movement, error }, at) => ({
    line: rows[at]!.line,
    petId: items[at]!.petId,
    ...(movement ? { before: movement.quantityBefore, after: movement.quantityAfter } : {}),
    ...(error ? { error: error.message } : {}),
  }));
  if (format === 'json') terminal.stdout.write(`${JSON.stringify(total)}\n`);
  else printRows({ records, columns: SHOWN }, format, args, terminal);
  const { changed, unchanged, refused } = total;
  const kept = args.flags.has('dry-run') ? '; nothing was kept' : '';
  note(`${changed} changed, ${unchanged} unchanged, ${refused} refused${kept}`, args, terminal);
}
