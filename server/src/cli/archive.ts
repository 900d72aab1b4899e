import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { openSecrets } from '../configured-webhooks.ts';
import { UnusableDatabase } from '../datastore/failures.ts';
import { systemClock } from '../lib/clock.ts';
import { BrokenArchive } from '../lib/tar.ts';
import { importWorkspace } from '../services/archive/import-workspace.ts';
import { exportWorkspace } from '../services/archive/workspace-exports.ts';
import { gzipped } from '../services/archive/write-archive.ts';
import { plural } from './command.ts';
import { Progress } from './copy.ts';
import { getWorkspaceId, onStore } from './on-store.ts';

/** What takes less time needs no progress. */
const QUIET_MS = 2_000;

export const importFile = onStore(async ({ store, config, argument: file, print }) => {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new UnusableDatabase(`there is no file ${file}`);
  const total = found.size;
  const startedAt = systemClock.now();
  const progress = new Progress();
  const onProgress = (step: string, done: number) => {
    if (systemClock.now() - startedAt >= QUIET_MS) progress.show(done, total, step);
  };
  const seal = (await openSecrets(config, { store, clock: systemClock }))?.seal;
  const imported = importWorkspace(store, { file, clock: systemClock, seal, onProgress });
  const { workspace, key, records } = await imported
    .finally(() => progress.end())
    .catch((err: unknown) => {
      if (!(err instanceof BrokenArchive)) throw err;
      throw new BrokenArchive(`${file} is refused: ${err.message}; there is no new workspace`);
    });
  const { id: workspaceId, name } = workspace;
  print({ workspaceId, name, records, key: key.key }, [
    `workspace ${workspaceId}, ${name}, is imported: ${summaryOf(records)}`,
    ...(seal ? [] : ['webhooks stayed behind: set PETSTORE_SECRET_KEY to have them']),
    ...(records.webhooks ? ['its webhooks are disabled until their owner enables them'] : []),
    'Its first key, which is shown once:',
    key.key,
  ]);
});

function summaryOf({ pets = 0, orders = 0, ledger = 0 }: Record<string, number>): string {
  const parts = [plural(pets, 'pet'), plural(orders, 'order'), plural(ledger, 'row')];
  return `${parts.join(', ')} of the ledger`;
}

/** Archives hold names and addresses of people. */
const FILE_MODE = 0o600;

/** A file that is not complete is removed. */
export const exportToFile = onStore(async (invocation) => {
  const { store, options, print } = invocation;
  const workspaceId = await getWorkspaceId(invocation);
  const file = options.to!;
  const target = openSync(file, 'wx', FILE_MODE);
  let bytes = 0;
  try {
    const parts = exportWorkspace(store, systemClock, { workspaceId, audience: 'operator' });
    for await (const chunk of gzipped(parts)) {
      for (let at = 0; at < chunk.length; ) at += writeSync(target, chunk, at);
      bytes += chunk.length;
    }
    fsyncSync(target);
    closeSync(target);
  } catch (err) {
    rmSync(file, { force: true });
    throw err;
  }
  print({ workspaceId, file, bytes }, [
    `workspace ${workspaceId} is exported: ${file}, ${bytes} bytes`,
    'it holds names and addresses, and no keys or secrets',
  ]);
});
