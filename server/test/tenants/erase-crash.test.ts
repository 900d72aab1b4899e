// Erasing a workspace while the node is killed every few batches: it is continued, and no other workspace changes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Datastore, Transaction } from '../../src/datastore/datastore.ts';
import { tables } from '../../src/datastore/tables.ts';
import { ERASED_MAX, erasedTables } from '../../src/datastore/tenants/erasure.ts';
import { DAY_MS, MINUTE_MS } from '../../src/domain/durations.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createPets } from '../../src/services/batches/pet-batches.ts';
import { createCategory } from '../../src/services/categories.ts';
import { numberAll } from '../../src/services/events/numbering.ts';
import { eraseWorkspaces, erasing } from '../../src/services/tenants/erase-workspaces.ts';
import { closeWorkspace } from '../../src/services/tenants/workspace-states.ts';
import { bootstrap, createWorkspace } from '../../src/services/workspaces.ts';
import { openStore } from '../../src/stores.ts';
import { untilLockIsAwaited } from '../datastore/postgres/locks.ts';
import { repeats } from '../support/effort.ts';
import { createMigratedDatabase, useServerClock } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PLANTED = 'Planted Name 4711';
const KILLS = repeats({ usual: 5, thorough: 50 });
/** Each pet has rows in several tables, and each life of the eraser deletes at least one batch of 500 rows. */
const PETS = KILLS * 250;
/** Of workspaces that stay. */
const FEW_PETS = 100;
/** Several batches for two erasers at once. */
const SOME_PETS = 500;
const ERASER = fileURLToPath(new URL('dying-eraser.ts', import.meta.url));

async function filled(store: Datastore, name: string, pets: number): Promise<number> {
  const limits = { perMinute: 1, perDay: 1 };
  const now = Date.now();
  const { workspace, key } = await store.transact((tx) =>
    createWorkspace(tx, { workspace: { name }, now }),
  );
  const caller = { workspaceId: workspace.id, keyId: key.record.id, scopes: [], limits };
  const { id: categoryId } = await store.transact((tx) =>
    createCategory(tx, { caller, category: { name }, now }),
  );
  for (let done = 0; done < pets; done += 100) {
    const status = 'available' as const;
    const rows = Array.from({ length: 100 }, (_, n) => ({
      name: `${name} ${n}`,
      categoryId,
      status,
    }));
    const batch = { caller, rows, isAllOrNothing: true, isUpdating: false, now };
    await store.transact((tx) => createPets(tx, batch));
  }
  while (await numberAll(store));
  return workspace.id;
}

/** All rows of a workspace as text, and how many there are. */
async function rowsOf(store: Datastore, workspaceId: number): Promise<string[]> {
  const rows: string[] = [];
  for (const table of tables) {
    const column = table.allColumns.indexOf(table.name === 'workspaces' ? 'id' : 'workspace_id');
    for (let after: readonly unknown[] | undefined; ; ) {
      const page = await store.read.tables.page(table, after as never, 1_000);
      const own = page.filter((row) => row[column] === workspaceId);
      rows.push(...own.map((row) => `${table.name} ${JSON.stringify(row)}`));
      if (page.length < 1_000) break;
      after = page.at(-1);
    }
  }
  return rows;
}

const isErasable = (row: string) =>
  !row.startsWith('workspaces ') && !row.includes('workspace.erased');

/** Resolves to the signal that ended the eraser; null if it was done. */
async function eraseOnce(environment: Record<string, string>): Promise<string | null> {
  const child = spawn(process.execPath, [ERASER], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0 && signal === null) throw new Error(`the eraser ended with ${code}`);
  return signal;
}

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  const folder = temporaryFolder();
  let environment: Record<string, string>;
  let store: Datastore;

  beforeAll(async () => {
    const url =
      engine === 'postgres' ? { PETSTORE_DATABASE_URL: await createMigratedDatabase() } : {};
    if (url.PETSTORE_DATABASE_URL) await useServerClock(url.PETSTORE_DATABASE_URL);
    environment = { PETSTORE_DATA_DIR: folder.path, ...url };
    ({ store } = await openStore(readConfig(environment)));
    await bootstrap(store, { now: Date.now() });
  });
  afterAll(async () => {
    await store.close();
    folder.remove();
  });

  const close = (id: number, name: string, graceDays: number) =>
    store.transact((tx) => closeWorkspace(tx, { id, name, graceDays, now: Date.now() }));

  it('goes on after every kill -9, and leaves all other rows as they were', {
    timeout: 0,
  }, async () => {
    const kept = await filled(store, 'Kept', FEW_PETS);
    const own = await filled(store, PLANTED, PETS);
    const before = await rowsOf(store, kept);
    await close(own, PLANTED, 0);
    let rows = (await rowsOf(store, own)).filter(isErasable).length;
    expect(rows).toBeGreaterThan(PETS);
    for (let kill = 0; kill < KILLS; kill++) {
      const dies = kill % 2 === 0 ? 'before commit' : 'after commit';
      const transactions = String(2 + (kill % 3));
      const signal = await eraseOnce({ ...environment, DIES: dies, TRANSACTIONS: transactions });
      expect(signal).toBe('SIGKILL');
      const left = (await rowsOf(store, own)).filter(isErasable).length;
      expect(left).toBeLessThanOrEqual(rows);
      rows = left;
    }
    expect(rows).toBeGreaterThan(0);
    expect(await eraseOnce({ ...environment, TRANSACTIONS: '-1' })).toBe(null);
    const left = await rowsOf(store, own);
    expect(left.filter(isErasable)).toEqual([]);
    expect(left.filter((row) => row.startsWith('audit_log '))).toHaveLength(1);
    expect(left.join('\n')).not.toContain(PLANTED);
    expect(await rowsOf(store, kept)).toEqual(before);
    if (engine === 'postgres') return;
    for (const file of ['petstore.db', 'petstore.db-wal']) {
      expect(readFileSync(`${folder.path}/${file}`).includes(PLANTED), file).toBe(false);
    }
  });

  it('two nodes that erase at once, with or without the lease, delete no row of another', async () => {
    const kept = await filled(store, 'Kept too', FEW_PETS);
    const before = await rowsOf(store, kept);
    const own = await filled(store, PLANTED, SOME_PETS);
    // Of two operators who close it at once, one does.
    await Promise.all([close(own, PLANTED, 0), close(own, PLANTED, 0)]);
    await Promise.all([eraseWorkspaces(store, systemClock), eraseWorkspaces(store, systemClock)]);
    expect((await rowsOf(store, own)).filter(isErasable)).toEqual([]);
    const { items } = await store.read.auditLog.list(own, {}, { limit: 9, sort: 'at' });
    expect(items.map(({ action }) => action)).toEqual(['workspace.erased']);
    expect(await rowsOf(store, kept)).toEqual(before);
  });

  it.runIf(engine === 'postgres')(
    'one that waits for the other deletes what that left',
    async () => {
      const own = await filled(store, PLANTED, SOME_PETS);
      await close(own, PLANTED, 0);
      await store.transact((tx) => tx.erasure.begin(own, Date.now()));
      const movements = erasedTables.find(({ name }) => name === 'movements')!;
      const deleteSome = (tx: Transaction) => tx.erasure.deleteRows(own, movements);
      let deleted: ReturnType<typeof deleteSome> | undefined;
      await store.transact(async (tx) => {
        await deleteSome(tx);
        deleted = store.transact(deleteSome);
        await untilLockIsAwaited(environment.PETSTORE_DATABASE_URL!);
      });
      expect(await deleted).toMatchObject({ deleted: ERASED_MAX });
    },
  );

  it.runIf(engine === 'sqlite')(
    'deletes what was written late beside a run that took longer than late rows take',
    async () => {
      const own = await filled(store, PLANTED, FEW_PETS);
      await close(own, PLANTED, 0);
      let now = Date.now();
      const clock = { now: () => now };
      const transact: typeof store.transact = (work) => {
        now += MINUTE_MS;
        return store.transact(work);
      };
      await eraseWorkspaces({ read: store.read, transact, tidy: () => store.tidy() }, clock);
      const day = { day: 1, keyId: 'late', operationId: 'getPet', lastAt: 0 };
      const counts = { admitted: 1, refused: 0, failed: 0 };
      await store.transact((tx) => tx.usage.addDay(own, { ...day, ...counts }));
      now += MINUTE_MS;
      await eraseWorkspaces(store, clock);
      expect(await store.read.usage.days(own, 0)).toEqual([]);
    },
  );

  it('a node whose clock is set 40 days ahead erases nothing early', async () => {
    const own = await filled(store, PLANTED, FEW_PETS);
    const other = await filled(store, PLANTED, FEW_PETS);
    await close(own, PLANTED, 30);
    await close(other, PLANTED, 0);
    const before = await rowsOf(store, own);
    let readings = 0;
    const clock = { now: () => Date.now() + (readings++ === 0 ? 0 : 40 * DAY_MS) };
    await erasing(clock).run(store, new AbortController().signal);
    expect((await rowsOf(store, other)).some(isErasable)).toBe(false);
    expect(await rowsOf(store, own)).toEqual(before);
    expect(readings).toBeGreaterThan(1);
  });

  it.runIf(engine === 'postgres')('nor one that starts with such a clock', async () => {
    const own = await filled(store, PLANTED, FEW_PETS);
    await close(own, PLANTED, 30);
    const before = await rowsOf(store, own);
    await eraseWorkspaces(store, { now: () => Date.now() + 40 * DAY_MS });
    expect(await rowsOf(store, own)).toEqual(before);
  });
});
