import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UnusableDatabase } from '../datastore/failures.ts';
import {
  addErased,
  copyNameAt,
  deleteOldCopies,
  digestOf,
  type Manifest,
  manifestFileOf,
  noteBackup,
  writeDurably,
} from '../lib/backup-files.ts';
import { systemClock } from '../lib/clock.ts';
import { makeFolder } from '../lib/folders.ts';
import { backupStore, sqliteCopies } from '../stores.ts';
import { type Options, plural, type Run, UsageError } from './command.ts';
import { linesOf } from './reconcile.ts';

const KEPT_MAX = 10_000;

export const backup: Run = async ({ config, options, print }) => {
  const now = systemClock.now();
  const { file, keep } = targetOf(options, now);
  if (!existsSync(file) && existsSync(manifestFileOf(file))) {
    throw new UnusableDatabase(`${manifestFileOf(file)} exists already; nothing was overwritten`);
  }
  // Refuses a list to which nothing can be added, before anything is written.
  sqliteCopies.erasedBeside(file);
  backupStore(config, file, () => process.stderr.write('petstore: copying the database …\n'));
  const isReconciled = options.verify === true;
  if (isReconciled) await refuseDifferences(file);
  const rows = sqliteCopies.inspect(file);
  const manifest: Manifest = {
    createdAt: new Date(now).toISOString(),
    bytes: statSync(file).size,
    sha256: digestOf(file),
    rows,
    isReconciled,
  };
  addErased(file, sqliteCopies.erased(file));
  writeDurably(manifestFileOf(file), `${JSON.stringify(manifest, null, 2)}\n`);
  noteBackup(resolve(config.PETSTORE_DATA_DIR), now);
  const deleted = keep === undefined ? [] : deleteOldCopies(options.into!, keep);
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  print({ file, deleted, ...manifest }, [
    `the copy is complete: ${file}, ${plural(total, 'row')}${isReconciled ? ', counts, orders and ledger agree' : ''}`,
    ...(deleted.length > 0 ? [`deleted ${plural(deleted.length, 'older backup')}`] : []),
    'it does not contain the key that encrypts the secrets of webhooks: keep secret.key or PETSTORE_SECRET_KEY too',
  ]);
  return 0;
};

/** Where the copy goes, and how many are kept there. */
function targetOf({ to, into, keep }: Options, now: number): { file: string; keep?: number } {
  if ((to === undefined) === (into === undefined)) {
    throw new UsageError('server backup needs --to FILE, or --into FOLDER --keep N');
  }
  if (to !== undefined) {
    if (keep !== undefined) throw new UsageError('--keep goes with --into FOLDER');
    return { file: to };
  }
  const count = /^[1-9]\d{0,8}$/.test(keep ?? '') ? Number(keep) : Number.NaN;
  if (!(count <= KEPT_MAX)) {
    throw new UsageError(`--into needs --keep N, a number from 1 to ${KEPT_MAX}`);
  }
  makeFolder(into!);
  return { file: join(into!, copyNameAt(now)), keep: count };
}

/** A copy whose counts do not add up is kept for inspection, without a manifest. */
async function refuseDifferences(file: string): Promise<void> {
  const lines = linesOf(await sqliteCopies.reconcile(file));
  if (lines.length === 0) return;
  throw new UnusableDatabase(
    `${file} was copied, but its counts do not add up: ${lines[0]}; petstore server reconcile shows all`,
  );
}
