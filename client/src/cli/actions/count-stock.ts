import { type Arguments, type Terminal, UsageError, WrongWords } from '../command.ts';
import { connect } from '../connection.ts';
import { type CsvRow, csvRows } from './csv-rows.ts';
import { PetIds } from './pet-ids.ts';
import { changeStock, type Item, integerIn, modeIn, textOf } from './take-stock.ts';

const COLUMNS = ['petId', 'id', 'reference', 'name', 'pet', 'quantity', 'expected', 'reason'];
/** So that the output of `stock list -o csv` can be edited and read. */
const IGNORED = ['reserved', 'available', 'status'];

/** Sets the stock to what was counted, in a file that names pets by id, reference or name: `petstore stock count FILE`. */
export async function countStock(args: Arguments, terminal: Terminal): Promise<void> {
  const [file] = args.words;
  const mode = modeIn(args, 'each');
  if (file === undefined) throw new WrongWords();
  const rows = csvRows(await textOf(file, terminal), COLUMNS, IGNORED);
  if (rows.length === 0) throw new UsageError(`${file} has no rows`);
  const reason = args.flags.get('reason')?.[0] ?? 'Count';
  // All cells are checked before the first request is sent.
  const counts = rows.map((row) => countOf(row, reason));
  const pets = new PetIds(connect(args, terminal).transport, terminal.signal);
  const petIds = await petIdsOf(rows, pets);
  const items = counts.map((count, at): Item => ({ petId: petIds[at]!, ...count }));
  await changeStock({ rows, items, mode }, args, terminal);
}

function countOf({ line, cells }: CsvRow, reason: string): Item {
  const quantity = integerIn(line, cells, 'quantity');
  if (quantity === undefined) throw new UsageError(`line ${line}: quantity is empty`);
  const expected = integerIn(line, cells, 'expected');
  const count = { quantity, reason: cells.reason ?? reason };
  return expected === undefined ? count : { ...count, expected };
}

/** A row names its pet by the first of these cells that it has: id, reference, name. */
async function petIdsOf(rows: readonly CsvRow[], pets: PetIds): Promise<number[]> {
  const idIn = ({ line, cells }: CsvRow) =>
    integerIn(line, cells, 'petId') ?? integerIn(line, cells, 'id');
  const references = rows
    .filter((row) => idIn(row) === undefined)
    .flatMap(({ cells }) => cells.reference ?? []);
  const found = await pets.byReference([...new Set(references)]);
  const ids: number[] = [];
  for (const row of rows) {
    const { reference, name = row.cells.pet } = row.cells;
    const id = idIn(row) ?? (reference === undefined ? undefined : found.get(reference));
    const place = `line ${row.line}: `;
    if (id !== undefined) ids.push(id);
    else if (reference !== undefined) {
      throw new UsageError(`${place}no pet has the reference ${reference}`);
    } else if (name === undefined) throw new UsageError(`line ${row.line} names no pet`);
    else ids.push(await pets.byName(name, place));
  }
  return ids;
}
