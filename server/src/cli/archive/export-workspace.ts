import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { systemClock } from '../../lib/clock.ts';
import { exportWorkspace } from '../../services/archive/workspace-exports.ts';
import { gzipped } from '../../services/archive/write-archive.ts';
import type { StoreInvocation } from '../command.ts';
import { getWorkspaceId, onStore } from '../on-store.ts';

/** Archives hold names and addresses of people. */
const FILE_MODE = 0o600;

export const exportToFile = onStore(write);

/** A file that is not complete is removed. */
async function write(invocation: StoreInvocation): Promise<void> {
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
}
