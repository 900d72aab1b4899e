import { createReadStream, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Datastore, Transaction } from '../datastore/datastore.ts';
import { type FieldFault, Refusal } from '../domain/errors.ts';
import type { Caller } from '../domain/key.ts';
import { rowChecker } from '../operations/schemas/batches/batch.ts';
import { petRowOf } from '../operations/schemas/batches/pet-batch.ts';
import { NewCategory } from '../operations/schemas/category.ts';
import { createPets, type PetBatchRow, type PetOutcome } from '../services/batches/pet-batches.ts';
import { findOrCreateCategory } from '../services/categories.ts';
import { type StoreInvocation, UsageError } from './command.ts';
import { StopSignal } from './import/stop-signal.ts';
import { type Fault, type ImportedRow, rowReaderFor } from './import-rows.ts';
import { getWorkspaceId, onStore } from './on-store.ts';
import { plural } from './plural.ts';
import { Progress } from './progress.ts';

interface Report {
  created: number;
  refused: ({ line: number } & Fault)[];
  /** The last line that was imported, if a failure or a signal has ended the import; 0 if there is none. */
  stoppedAfterLine?: number;
}

interface Import {
  store: Datastore;
  caller: Caller;
  isDryRun: boolean;
  report: Report;
}

const BATCH = 1_000;
const checkCategory = rowChecker(NewCategory);
/** Stands for a category that is refused, so that the other fields are checked too. */
const ANY_ID = 1;

/**
 * A row has the fields of a new pet in the API, or `category`, a name, instead of `categoryId`. Missing categories are
 * created.
 */
export const importPets = onStore(importFile);

/** Returns 1 if a row was refused. On SIGINT and SIGTERM it finishes the batch under way, and goes on with no other. */
async function importFile(invocation: StoreInvocation): Promise<number> {
  const { store, argument: file, options, print } = invocation;
  const readRows = rowReaderFor(file);
  const fileBytes = statSync(file, { throwIfNoEntry: false })?.size;
  if (fileBytes === undefined) throw new UsageError(`there is no file ${file}`);
  const workspaceId = await getWorkspaceId(invocation);
  const caller: Caller = {
    keyId: 'import',
    workspaceId,
    scopes: ['write'],
    limits: { perMinute: 0, perDay: 0 },
  };
  const isDryRun = options['dry-run'] === true;
  const report: Report = { created: 0, refused: [] };
  const stream = createReadStream(file);
  const progress = new Progress();
  let imported = 0;
  // What was imported before is kept, so the person who goes on from there must know it.
  const printStopped = () => {
    progress.end();
    const where = imported === 0 ? 'before the first row' : `after line ${imported}`;
    const lines = [...linesOf(report, isDryRun), `stopped ${where}`];
    print({ ...report, stoppedAfterLine: imported }, lines);
  };
  const stop = new StopSignal();
  try {
    for await (const rows of batchesOf(readRows(stream))) {
      // Node hands out a signal only between two ticks.
      await setImmediate();
      if (stop.exitCode !== undefined) {
        printStopped();
        return stop.exitCode;
      }
      await importBatch(rows, { store, caller, isDryRun, report });
      imported = rows.at(-1)?.lastLine ?? imported;
      progress.show(stream.bytesRead, fileBytes, '', plural(report.created, 'pet'));
    }
  } catch (err) {
    if (imported > 0) printStopped();
    throw err;
  } finally {
    stop.release();
  }
  progress.end();
  if (!isDryRun) await updateStatistics(store);
  print(report, linesOf(report, isDryRun));
  return report.refused.length === 0 ? 0 : 1;
}

function linesOf({ created, refused }: Report, isDryRun: boolean): string[] {
  const faults = refused.map(
    ({ line, field, message }) => `line ${line}: ${field === '' ? '' : `${field} `}${message}`,
  );
  const outcome = isDryRun ? 'would be created; nothing was kept' : 'created';
  return [...faults, `${plural(created, 'pet')} ${outcome}, ${plural(refused.length, 'fault')}`];
}

async function* batchesOf(rows: AsyncIterable<ImportedRow>): AsyncGenerator<ImportedRow[]> {
  let batch: ImportedRow[] = [];
  for await (const row of rows) {
    if (batch.push(row) < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function importBatch(
  batch: readonly ImportedRow[],
  { store, caller, isDryRun, report }: Import,
): Promise<void> {
  const now = Date.now();
  const work = async (tx: Transaction): Promise<PetOutcome[]> => {
    const categories = new Map<string, number>();
    const findOrCreate = (name: string) => findOrCreateCategory(tx, { caller, name, now });
    const rows: PetBatchRow[] = [];
    for (const row of batch) {
      const isFault = 'fault' in row;
      if (isFault) rows.push({ faults: [row.fault] });
      else rows.push(await petRowWithCategory(row.value, categories, findOrCreate));
    }
    return createPets(tx, { caller, rows, isAllOrNothing: false, now });
  };
  const outcomes = await (isDryRun ? store.dryRun(work) : store.transact(work));
  for (const [at, outcome] of outcomes.entries()) {
    const { line } = batch[at]!;
    if ('pet' in outcome) report.created += 1;
    else report.refused.push(...outcome.faults.map((fault) => ({ line, ...fault })));
  }
}

async function petRowWithCategory(
  value: unknown,
  known: Map<string, number>,
  findOrCreate: (name: string) => Promise<number>,
): Promise<PetBatchRow> {
  if (typeof value !== 'object' || value === null || !('category' in value)) return petRowOf(value);
  const { category, ...rest } = value;
  if (typeof category === 'string' && category.trim() === '') return petRowOf(rest);
  const checked = checkCategory({ name: category });
  if (checked instanceof Refusal) {
    const pet = petRowOf({ ...rest, categoryId: ANY_ID });
    return { faults: [...('faults' in pet ? pet.faults : []), ...categoryFaults(checked)] };
  }
  const { name } = checked as { name: string };
  const id = known.get(name) ?? (await findOrCreate(name));
  known.set(name, id);
  return petRowOf({ ...rest, categoryId: id });
}

function categoryFaults({ details }: Refusal): FieldFault[] {
  return (details as FieldFault[]).map(({ message }) => ({ field: 'category', message }));
}

/** Failing here is no failure of the import: without statistics, reads are slower for a while. */
async function updateStatistics(store: Datastore): Promise<void> {
  await store
    .transact((tx) => tx.tables.analyze())
    .catch((err: unknown) =>
      process.stderr.write(`petstore: statistics were not updated: ${String(err)}\n`),
    );
}
