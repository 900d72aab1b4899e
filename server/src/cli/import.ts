import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import type { Datastore } from '../datastore/datastore.ts';
import type { Caller } from '../domain/key.ts';
import { ForbiddenJson, MalformedJson, parseStrictJson } from '../lib/strict-json.ts';
import { petRowOf } from '../operations/schemas/pet-row.ts';
import { type BatchOutcome, type BatchRow, createPets } from '../services/pet-batches.ts';
import { type Command, UsageError } from './command.ts';
import { showProgress } from './progress.ts';

interface ImportedRow {
  line: number;
  value: unknown;
}

interface Report {
  created: number;
  refused: { line: number; field: string; message: string }[];
}

const BATCH = 1_000;
/** Thrown at the end of a dry run, so that its transaction is rolled back. */
class DryRun extends Error {}

/**
 * Creates the pets of a CSV or NDJSON file. A row has the fields of a new pet in the API, or `category`, a name, instead of
 * `categoryId`. Missing categories are created.
 */
export async function importCommand(command: Command): Promise<number> {
  const { store, options, words, print } = command;
  const [file] = words;
  const workspaceId = Number(options.workspace ?? '1');
  if (!file) throw new UsageError('import needs a file that ends in .csv or .ndjson');
  if (!(await store.read.workspaces.find(workspaceId))) {
    throw new UsageError(`there is no workspace ${workspaceId}`);
  }
  const limits = { perMinute: 0, perDay: 0 };
  const caller: Caller = { keyId: 'import', workspaceId, scopes: ['write'], limits };
  const report = await importFile(store, caller, file, options['dry-run'] === true);
  const { created, refused } = report;
  const kept = options['dry-run'] ? 'would be created; nothing was kept' : 'created';
  const lines = refused.map(({ line, field, message }) => `line ${line}: ${field} ${message}`);
  print(report, [...lines, `${created} pets ${kept}, ${refused.length} faults`]);
  return refused.length === 0 ? 0 : 1;
}

async function importFile(
  store: Datastore,
  caller: Caller,
  file: string,
  isDryRun: boolean,
): Promise<Report> {
  const report: Report = { created: 0, refused: [] };
  const total = statSync(file, { throwIfNoEntry: false })?.size;
  if (total === undefined) throw new UsageError(`there is no file ${file}`);
  const stream = createReadStream(file);
  let batch: ImportedRow[] = [];
  const flush = async () => {
    await importBatch(store, caller, batch, isDryRun, report);
    showProgress(stream.bytesRead, total, `${report.created} pets`);
    batch = [];
  };
  for await (const row of rowsOf(file, stream)) {
    if (batch.push(row) === BATCH) await flush();
  }
  await flush();
  if (!isDryRun) await updateStatistics(store);
  process.stderr.write('\n');
  return report;
}

/** Failing here is no failure of the import: without statistics, reads are slower for a while. */
async function updateStatistics(store: Datastore): Promise<void> {
  await store
    .transact((tx) => tx.tables.measure())
    .catch((err: unknown) => process.stderr.write(`\nstatistics were not updated: ${String(err)}`));
}

async function importBatch(
  store: Datastore,
  caller: Caller,
  batch: readonly ImportedRow[],
  isDryRun: boolean,
  report: Report,
): Promise<void> {
  const now = Date.now();
  let outcomes: BatchOutcome[] = [];
  const unit = store.transact(async (tx) => {
    const categories = new Map<string, number>();
    const findOrCreate = (name: string) => tx.categories.findOrCreate(caller.workspaceId, name);
    const rows: BatchRow[] = [];
    for (const { value } of batch) {
      rows.push(petRowOf(await withCategoryId(value, categories, findOrCreate)));
    }
    outcomes = await createPets(tx, { caller, rows, isAllOrNothing: false, now });
    if (isDryRun) throw new DryRun();
  });
  await unit.catch((err: unknown) => {
    if (!(err instanceof DryRun)) throw err;
  });
  for (const [at, outcome] of outcomes.entries()) {
    const { line } = batch[at]!;
    if ('pet' in outcome) report.created += 1;
    else report.refused.push(...outcome.faults.map((fault) => ({ line, ...fault })));
  }
}

async function withCategoryId(
  value: unknown,
  known: Map<string, number>,
  findOrCreate: (name: string) => Promise<number>,
): Promise<unknown> {
  if (typeof value !== 'object' || value === null || !('category' in value)) return value;
  const { category, ...rest } = value;
  if (typeof category !== 'string' || category.trim() === '') return rest;
  const name = category.trim();
  const id = known.get(name) ?? (await findOrCreate(name));
  known.set(name, id);
  return { ...rest, categoryId: id };
}

async function* rowsOf(
  file: string,
  stream: ReturnType<typeof createReadStream>,
): AsyncGenerator<ImportedRow> {
  if (file.endsWith('.csv')) {
    const parser = stream.pipe(
      parse({ columns: true, info: true, skip_empty_lines: true, bom: true }),
    );
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      yield { line: info.lines, value: fromCsv(record) };
    }
  } else if (file.endsWith('.ndjson')) {
    let line = 0;
    for await (const text of createInterface({ input: stream })) {
      line += 1;
      if (text.trim() !== '') yield { line, value: fromJson(text) };
    }
  } else {
    throw new UsageError('import takes files that end in .csv or .ndjson');
  }
}

interface CsvRecord {
  record: Record<string, string>;
  info: { lines: number };
}

/** An empty cell is an absent field. CSV knows only text, so ids are read as numbers. */
function fromCsv(record: Record<string, string>): Record<string, unknown> {
  const filled = Object.entries(record).filter(([, text]) => text !== '');
  return Object.fromEntries(
    filled.map(([name, text]) => [
      name,
      name === 'categoryId' && /^\d+$/.test(text) ? Number(text) : text,
    ]),
  );
}

function fromJson(text: string): unknown {
  try {
    return parseStrictJson(Buffer.from(text));
  } catch (err) {
    if (err instanceof MalformedJson || err instanceof ForbiddenJson) return err.message;
    throw err;
  }
}
