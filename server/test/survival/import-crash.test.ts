// The command that imports a workspace is killed at any moment: what it leaves is a workspace without an active key, which
// is erased, or a whole one.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { demo } from '../../src/cli/demo/demo.ts';
import { readConfig } from '../../src/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { exportWorkspace } from '../../src/services/archive/workspace-exports.ts';
import { gzipped } from '../../src/services/archive/write-archive.ts';
import { bootstrap } from '../../src/services/workspaces.ts';
import { openStore } from '../../src/stores.ts';
import { endingWithParent, plainEnvironment } from '../support/child-processes.ts';
import { repeats } from '../support/effort.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = repeats({ usual: 4, thorough: 100 });
const command = new URL('../../bin/petstore.js', import.meta.url).pathname;

it('leaves no workspace that is in use and not whole', { timeout: 0 }, async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const config = readConfig({ PETSTORE_DATA_DIR: folder.path });
  const { store } = await openStore(config);
  await bootstrap(store, { now: Date.now() });
  await demo({ config, argument: '', options: { pets: '20' }, print: () => undefined });
  const file = `${folder.path}/workspace.tar.gz`;
  const wanted = { workspaceId: 1, audience: 'operator' } as const;
  const archive = gzipped(exportWorkspace(store, systemClock, wanted));
  await pipeline(Readable.from(archive), createWriteStream(file));
  const pets = (id: number) => store.read.pets.list(id, {}, { sort: 'id', limit: 100 });

  for (let kill = 0; kill < KILLS; kill++) {
    const id = kill + 2;
    const args = [process.execPath, command, 'server', 'import-workspace', file];
    const [program, ...rest] = endingWithParent(args, 'SIGKILL');
    const env = { ...plainEnvironment(), PETSTORE_DATA_DIR: folder.path };
    const child = spawn(program, rest, { env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    while (!(await store.read.workspaces.find(id)) && child.exitCode === null) await setTimeout(1);
    await setTimeout(kill * 7);
    child.kill('SIGKILL');
    await ended;
    const keys = await store.read.keys.listAll(id);
    const active = keys.filter(({ revokedAt }) => revokedAt === undefined);
    const workspace = (await store.read.workspaces.find(id))!;
    if (workspace.closedAt === undefined) {
      expect(active).toHaveLength(1);
      expect((await pets(id)).items).toHaveLength((await pets(1)).items.length);
    } else {
      expect(active).toEqual([]);
      const leftMs = workspace.eraseAt! - Date.now();
      expect(leftMs > 0 && leftMs <= 600_000).toBe(true);
    }
  }
  const { reserved, ledger, links } = await store.read.audit.differences();
  const whole = await Promise.all(
    [...reserved, ...ledger, ...links].map((each) => store.read.workspaces.find(each.workspaceId)),
  );
  expect(whole.filter((workspace) => workspace?.closedAt === undefined)).toEqual([]);
  await store.close();
});
