import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { startApp } from '../app.ts';
import type { Config } from '../config.ts';
import { UnusableDatabase } from '../datastore/failures.ts';
import { digestOf, type Manifest, manifestFileOf, readManifest } from '../lib/backup-files.ts';
import { systemClock } from '../lib/clock.ts';
import { refusePostgres, sqliteCopies } from '../stores.ts';
import { plural, type Run, UsageError } from './command.ts';
import { commandAuthor } from './on-store.ts';
import { linesOf } from './reconcile.ts';

export const restore: Run = async ({ config, options, print }) => {
  const { from = '', to, drill = false } = options;
  if ((to !== undefined) === drill)
    throw new UsageError('server restore needs --to FOLDER or --drill');
  refusePostgres(
    config,
    'restore puts back copies of SQLite; use pg_restore, or a point in time of your archive, for PostgreSQL (docs/backups.md)',
  );
  const digest = checkDigest(from);
  if (to !== undefined) {
    const erased = restoreInto(from, to);
    await refuseDifferences(from);
    print({ from, to, digest, erased }, [
      ...sentencesOf(digest, from),
      ...(erased > 0
        ? [
            `${plural(erased, 'workspace')} erased since the copy: closed, and erased by the first start`,
          ]
        : []),
      `restored into ${to}: its counts follow from its orders and its ledger`,
      'before you start: put secret.key into the folder, or set PETSTORE_SECRET_KEY as it was',
    ]);
    return 0;
  }
  const readyMs = await serveFrom(from, config);
  print({ from, digest, readyMs }, [
    ...sentencesOf(digest, from),
    `the copy serves: ready after ${(readyMs / 1000).toFixed(1)} s; what was restored for the drill is removed`,
  ]);
  return 0;
};

/** Workspaces that were erased since the copy was made do not come back. Returns how many there were. */
function restoreInto(copy: string, folder: string): number {
  const { actor: by } = commandAuthor();
  const restoring = { erased: sqliteCopies.erasedBeside(copy), by, now: systemClock.now() };
  return sqliteCopies.restore(copy, folder, restoring);
}

type Digest = 'matches' | 'unknown';

/** Throws if the copy is not what its manifest says. */
function checkDigest(copy: string): Digest {
  const found = (path: string) => statSync(path, { throwIfNoEntry: false });
  if (!found(copy)?.isFile()) throw new UnusableDatabase(`there is no file ${copy}`);
  if (found(`${copy}-wal`)?.size) {
    throw new UnusableDatabase(
      `${copy} is no copy: its newest changes are in ${copy}-wal; use petstore server backup, with its folder as PETSTORE_DATA_DIR`,
    );
  }
  const manifest = manifestOf(copy);
  if (!manifest) return 'unknown';
  if (manifest.sha256 === digestOf(copy)) return 'matches';
  throw new UnusableDatabase(
    `${copy} is damaged: its digest is not the one in ${manifestFileOf(copy)}; use another copy`,
  );
}

function manifestOf(copy: string): Manifest | undefined {
  try {
    return readManifest(copy);
  } catch {
    throw new UnusableDatabase(
      `${manifestFileOf(copy)} cannot be read; remove it to go on without`,
    );
  }
}

function sentencesOf(digest: Digest, copy: string): string[] {
  return digest === 'matches'
    ? ['the digest of the copy matches its manifest']
    : [`there is no ${manifestFileOf(copy)}: the digest of the copy could not be checked`];
}

async function refuseDifferences(copy: string): Promise<void> {
  const [first] = linesOf(await sqliteCopies.reconcile(copy));
  if (first === undefined) return;
  throw new UnusableDatabase(
    `the copy is restored, but its counts do not add up: ${first}; run petstore server reconcile --repair before you serve it`,
  );
}

/** Serves from a copy on a free port until it is ready. Nothing is delivered and no order ends. */
async function serveFrom(copy: string, config: Config): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-drill-'));
  try {
    const startedAtMs = performance.now();
    restoreInto(copy, folder);
    await refuseDifferences(copy);
    const secretKey = join(resolve(config.PETSTORE_DATA_DIR), 'secret.key');
    if (existsSync(secretKey)) copyFileSync(secretKey, join(folder, 'secret.key'));
    const app = await startApp(drillOf(config, folder), pino({ level: 'silent' }), {
      isSweeping: false,
    });
    try {
      const { status } = await fetch(`${app.url}/readyz`);
      if (status !== 200)
        throw new UnusableDatabase(`the copy does not serve: /readyz is ${status}`);
    } finally {
      await app.stop();
    }
    return Math.round(performance.now() - startedAtMs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function drillOf(config: Config, folder: string): Config {
  return {
    ...config,
    PETSTORE_DATA_DIR: folder,
    PETSTORE_HOST: '127.0.0.1',
    PETSTORE_PORT: 0,
    PETSTORE_VALKEY_URL: undefined,
    PETSTORE_WEBHOOKS: false,
  };
}
