import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BatchResult, Pets } from '../../contract.ts';
import { readAll, readText } from '../ask.ts';
import {
  type Arguments,
  RefusedRowsError,
  type Terminal,
  UsageError,
  WrongWords,
} from '../command.ts';
import { connect } from '../connection.ts';
import { type Format, fieldsIn, formatIn, isJson, note, printRows } from '../output.ts';
import { unansweredText, type Writes } from '../unknown-outcome.ts';
import { CategoryIds } from './category-ids.ts';
import { csvRows } from './csv-rows.ts';
import { partsOf } from './parts.ts';

const COLUMNS = ['name', 'category', 'categoryId', 'status', 'reference', 'lowStockAt'];
/** So that the output of `pets list -o csv` can be imported. */
const IGNORED = ['id'];
/** Of a row that was refused. */
const SHOWN = ['line', 'field', 'message'];
/** How many earlier imports of the same file within a day are passed over. The rows that the last one refused are shown. */
const EARLIER_MAX = 100;
const PROGRESS_AFTER_MS = 2_000;

type Fields = Record<string, unknown>;

interface Row {
  line: number;
  pet?: Fields;
  /** Why there is no pet. */
  fault?: Fault;
}

// A type, not an interface: a row of a table has any fields.
type Fault = { field: string; message: string };

interface Report {
  created: number;
  /** Pets that had the reference of their row already, with --update. */
  updated: number;
  /** Of all of these, the pets of an earlier import of the same file. */
  repeated: number;
  refused: ({ line: number } & Fault)[];
  /** The last line that was imported, if the import did not reach the end. */
  stoppedAfterLine?: number;
  /** Lines that were sent without an answer: they may have been imported. */
  unanswered?: number[];
}

interface Import {
  pets: Pets;
  categories: CategoryIds;
  isDryRun: boolean;
  isUpdate: boolean;
  signal: AbortSignal;
  writes: Writes;
  /** Makes the Idempotency-Key of a batch; `attempt` counts from 0. */
  keyOf: (rows: readonly Row[], attempt: number) => { idempotencyKey?: string };
}

/** Creates the pets of a CSV or NDJSON file: `petstore pets import pets.csv`. */
export async function importPets(args: Arguments, terminal: Terminal): Promise<void> {
  const [file] = args.words;
  if (file === undefined) throw new WrongWords();
  const format = formatIn(args, terminal);
  fieldsIn(args, SHOWN);
  const text = file === '-' ? await readAll(terminal) : readText(file, `the file ${file}`);
  const rows = rowsFrom(rowsOf(text, file), args.flags.get('from-line')?.[0]);
  if (rows.length === 0) throw new UsageError(`${file} has no rows`);
  const [isDryRun, isUpdate] = [args.flags.has('dry-run'), args.flags.has('update')];
  const { transport, writes } = connect(args, terminal);
  const { signal } = terminal;
  const work: Import = {
    pets: new Pets(transport),
    categories: new CategoryIds(transport, { isDryRun, signal }),
    isDryRun,
    isUpdate,
    signal,
    writes,
    keyOf: batchKeys(file, isUpdate),
  };
  const report: Report = { created: 0, updated: 0, repeated: 0, refused: [] };
  const startedAt = Date.now();
  try {
    let done = 0;
    for (const batch of partsOf(rows, sentOf)) {
      await importBatch(batch, work, report);
      report.stoppedAfterLine = batch.at(-1)!.line;
      done += batch.length;
      if (Date.now() - startedAt > PROGRESS_AFTER_MS) {
        note(`${done} of ${rows.length} rows`, args, terminal);
      }
    }
    delete report.stoppedAfterLine;
  } finally {
    print(report, { isDryRun, format, rows }, args, terminal);
  }
  if (report.refused.length > 0) {
    throw new RefusedRowsError(new Set(report.refused.map(({ line }) => line)).size);
  }
}

/** No smaller than what is sent of a row, which has the id of its category in place of the name. */
function sentOf({ pet }: Row): unknown {
  return { categoryId: Number.MAX_SAFE_INTEGER, ...pet };
}

/** A file that is changed, or read from a pipe, is another import. The same file again continues where it stopped. */
function batchKeys(file: string, isUpdate: boolean): Import['keyOf'] {
  if (file === '-') return () => ({});
  const { mtimeMs, size } = statSync(file);
  return (rows, attempt) => {
    const source = JSON.stringify([resolve(file), mtimeMs, size, isUpdate, rows, attempt]);
    return { idempotencyKey: `import-${createHash('sha256').update(source).digest('hex')}` };
  };
}

function rowsFrom(rows: readonly Row[], text: string | undefined): readonly Row[] {
  if (text === undefined) return rows;
  if (!/^[1-9]\d*$/.test(text)) throw new UsageError('--from-line must be the number of a line');
  return rows.filter(({ line }) => line >= Number(text));
}

function rowsOf(text: string, file: string): Row[] {
  if (isJsonDocument(text)) {
    const wanted = 'CSV is expected, or one JSON object on each line (NDJSON)';
    throw new UsageError(`${file} is a JSON document; ${wanted}`);
  }
  const isJsonLines = /\.(ndjson|jsonl)$/.test(file) || /^\uFEFF?\s*\{/.test(text);
  if (!isJsonLines) {
    return csvRows(text, COLUMNS, IGNORED).map(({ line, cells }) => ({ line, pet: petOf(cells) }));
  }
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((each, at): Row[] => (each.trim() === '' ? [] : [jsonRow(each, at + 1)]));
}

/** A list, also one that is cut, or an object of more than one line. */
function isJsonDocument(text: string): boolean {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed.startsWith('[')) return true;
  if (!/^\{[^\r\n]*[\r\n]/.test(trimmed)) return false;
  try {
    return JSON.parse(trimmed) !== undefined;
  } catch {
    return false;
  }
}

/** CSV knows only text, so what is an integer is read as a number. What is none is refused by the service. */
function petOf(cells: Record<string, string>): Fields {
  const pet: Fields = { ...cells };
  for (const name of ['categoryId', 'lowStockAt']) {
    if (/^\d+$/.test(cells[name] ?? '')) pet[name] = Number(cells[name]);
  }
  return pet;
}

function jsonRow(text: string, line: number): Row {
  try {
    const pet: unknown = JSON.parse(text);
    if (typeof pet === 'object' && pet !== null && !Array.isArray(pet))
      return { line, pet: { ...pet } };
  } catch {
    // Refused below.
  }
  return { line, fault: { field: '', message: 'is not a JSON object' } };
}

async function importBatch(batch: readonly Row[], work: Import, report: Report): Promise<void> {
  const refuse = (line: number, faults: readonly Fault[]) =>
    report.refused.push(...faults.map((fault) => ({ line, ...fault })));
  const sent: SentRow[] = [];
  for (const { line, pet, fault } of batch) {
    if (fault) refuse(line, [fault]);
    if (!pet) continue;
    const found = await withCategoryId(pet, work.categories);
    if ('message' in found) refuse(line, [found]);
    else sent.push({ line, ...found });
  }
  let left = sent;
  for (let attempt = 0; left.length > 0; attempt++) {
    const { isReplay, refused } = await send(left, work.keyOf(batch, attempt), work, report);
    left = [];
    for (const { row, faults } of refused) {
      // What an earlier import was refused may be right by now.
      if (isReplay && attempt < EARLIER_MAX) left.push(row);
      else refuse(row.line, faults);
    }
  }
  report.refused.sort((a, b) => a.line - b.line);
}

interface SentRow {
  line: number;
  pet: Fields;
  isCategoryNew: boolean;
}

/** Sends rows, counts those that are pets now, and returns the others. */
async function send(
  rows: readonly SentRow[],
  key: { idempotencyKey?: string },
  work: Import,
  report: Report,
): Promise<{ isReplay: boolean; refused: { row: SentRow; faults: Fault[] }[] }> {
  const { pets, signal, isDryRun, isUpdate } = work;
  const update = isUpdate && { onReference: 'update' };
  const body = { pets: rows.map(({ pet }) => pet), mode: 'each', ...update } as never;
  const options = { signal, dryRun: isDryRun, ...key };
  const sent = pets.createMany(body, options).withResponse();
  const { data, isReplay } = await sent.catch((err: unknown) => {
    if (work.writes.isUnknown) report.unanswered = rows.map(({ line }) => line);
    throw err;
  });
  const { created, updated, results } = data as BatchResult;
  if (isReplay) report.repeated += created + updated;
  report.updated += updated;
  const refused = results.flatMap(({ errors = [] }, at) => {
    const row = rows[at]!;
    // The category of a dry run has no id yet.
    const faults = errors.filter(({ field }) => !(row.isCategoryNew && field === 'categoryId'));
    return faults.length > 0 ? [{ row, faults }] : [];
  });
  report.created += rows.length - refused.length - updated;
  return { isReplay, refused };
}

/** The pet with the id of its category in place of the name. An id that is given wins. */
async function withCategoryId(
  { category, ...pet }: Fields,
  categories: CategoryIds,
): Promise<{ pet: Fields; isCategoryNew: boolean } | Fault> {
  if (category === undefined || pet.categoryId !== undefined) return { pet, isCategoryNew: false };
  const found = await categories.find(category);
  if ('message' in found) return { field: 'category', ...found };
  const { id, isNew = false } = found;
  return { pet: { ...pet, categoryId: id }, isCategoryNew: isNew };
}

function print(
  report: Report,
  { isDryRun, format, rows }: { isDryRun: boolean; format: Format; rows: readonly Row[] },
  args: Arguments,
  terminal: Terminal,
): void {
  const { created, updated, repeated, refused, unanswered, stoppedAfterLine } = report;
  if (isJson(format)) terminal.stdout.write(`${JSON.stringify(report)}\n`);
  else if (refused.length > 0) {
    printRows({ records: refused, columns: SHOWN }, format, args, terminal);
  }
  const pets = created === 1 ? '1 pet' : `${created} pets`;
  const done = args.flags.has('update') ? `created, ${updated} updated` : 'created';
  const earlier = repeated > 0 ? `, ${repeated} of them by an earlier import of this file` : '';
  const outcome = isDryRun ? `would be ${done}; nothing was kept` : `${done}${earlier}`;
  note(`${pets} ${outcome}`, args, terminal);
  if (unanswered) terminal.stderr.write(`petstore: ${unansweredText(unanswered, 'imported')}\n`);
  if (stoppedAfterLine === undefined) return;
  const next = rows.find(({ line }) => line > stoppedAfterLine)?.line;
  if (next === undefined) return;
  const more = `run it again to continue, or from line ${next} with --from-line ${next}`;
  note(`stopped after line ${stoppedAfterLine}; ${more}`, args, terminal);
}
