// The node that does the jobs of all is killed in the middle of one: another does the rest, and nothing is done twice.

import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { jobNames } from '../../src/services/cluster/leases.ts';
import { reconcile } from '../../src/services/maintenance/reconcile.ts';
import { openStore } from '../../src/stores.ts';
import { newShop, placeIn } from '../datastore/fixture.ts';
import { repeats } from '../support/effort.ts';
import { createMigratedDatabase, onDatabase, useServerClock } from '../support/servers.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const WAVE = 100;
const KILLS = repeats({ usual: 1, thorough: 5 });

interface Lease {
  name: string;
  holder: string;
  number: number;
}

/** New events are numbered at once where a webhook waits for them. */
const addWebhook = (workspaceId: number) =>
  `INSERT INTO webhooks (workspace_id, url, types, batch_max, per_second_max, is_verified, state, failures, rejections,
     cursor, revision, cursor_revision, lease_number, secret, secret_hint, created_at)
   VALUES (${workspaceId}, 'http://127.0.0.1:9/', '*', 1, 20, 1, 1, 0, 0, 0, 1, 1, 0, '', '', 0)`;

it('goes on with every job on another node after its node was killed, and does nothing twice', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const url = await createMigratedDatabase();
  await useServerClock(url);
  const environment = { PETSTORE_DATABASE_URL: url };
  const { store } = await openStore(readConfig({ PETSTORE_DATA_DIR: folder.path, ...environment }));
  onTestFinished(() => store.close());
  const { workspaceId, petId } = await newShop(store, {
    quantity: 1_000_000,
    reserved: 0,
    held: false,
  });
  const ids: number[] = [];
  /** Orders that are overdue at once. */
  const placeWave = async () => {
    const at = Date.now();
    const order = { petId, quantity: 1, complete: false, expiresAt: at };
    const place = () =>
      store.transact((tx) => placeIn(tx, workspaceId, order, { keyId: 'key', at }));
    ids.push(...(await Promise.all(Array.from({ length: WAVE }, place))).map((id) => id!));
  };
  const countOf = (text: string) =>
    onDatabase(url, async (client) => Number((await client.query(text)).rows[0].count));
  const countOpen = () => countOf("SELECT count(*) FROM orders WHERE state = 'open'");
  const countNumbered = () => countOf('SELECT count(*) FROM events');
  const leases = () =>
    onDatabase(url, async (client) => {
      const text =
        'SELECT name, holder, CAST(number AS INTEGER) AS number FROM leases ORDER BY name';
      return (await client.query<Lease>(text)).rows;
    });

  let doing = await startService(folder.path, environment);
  for (let kill = 0; kill < KILLS; kill++) {
    await expect.poll(async () => (await leases()).map(({ name }) => name)).toEqual(jobNames);
    const waiting = await startService(folder.path, environment);
    const before = await leases();
    const placed = ids.length;
    const isSweeping = async () => (await countOpen()) < ids.length && ids.length > placed;
    while (!(await isSweeping())) await placeWave();
    doing.process.kill('SIGKILL');
    await doing.exited;
    await onDatabase(url, (client) => client.query(addWebhook(workspaceId)));
    const numbered = await countNumbered();
    await placeWave();
    await expect
      .poll(async () => (await leases()).map(({ number }) => number))
      .toEqual(before.map(({ number }) => number + 1));
    const after = await leases();
    expect(new Set(after.map(({ holder }) => holder)).size).toBe(1);
    expect(after[0]!.holder).not.toBe(before[0]!.holder);
    await expect.poll(countOpen).toBe(0);
    await expect.poll(countNumbered).toBeGreaterThan(numbered);
    doing = waiting;
  }

  const released = await onDatabase(url, async (client) => {
    const text = "SELECT CAST(order_id AS INTEGER) AS id FROM movements WHERE cause = 'released'";
    return (await client.query<{ id: number }>(text)).rows.map(({ id }) => id);
  });
  const inOrder = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
  expect(inOrder(released)).toEqual(inOrder(ids));
  expect((await reconcile(store)).found).toEqual({ reserved: [], ledger: [], links: [] });
});
