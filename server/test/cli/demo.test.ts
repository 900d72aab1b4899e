import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { demoAnimals } from '../../src/cli/demo/catalogue.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { readConfig } from '../../src/config.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import type { Table } from '../../src/datastore/table.ts';
import { tables } from '../../src/datastore/tables.ts';
import { openStore } from '../../src/stores.ts';
import { createIn, newCategory, oneUnit } from '../datastore/fixture.ts';
import { captureOutput } from '../support/captured-output.ts';
import { repeats } from '../support/effort.ts';
import { createMigratedDatabase } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const tableOf = (name: string) => tables.find((table) => table.name === name)!;
const written = ['pets', 'orders', 'movements', 'categories', 'api_keys', 'events', 'usage_days'];

const output = captureOutput();

/** A store with as many workspaces. Returns what was written, row by row. */
async function newStore(engine: string, workspaces: number) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const environment: Record<string, string> = { PETSTORE_DATA_DIR: folder.path };
  if (engine === 'postgres') environment.PETSTORE_DATABASE_URL = await createMigratedDatabase();
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  expect(await run('server migrate')).toBe(0);
  for (let n = 1; n <= workspaces; n++) await run(`server workspaces create --name shop${n}`);
  const onStore = async <T>(work: (store: Datastore) => Promise<T>) => {
    const { store } = await openStore(readConfig(environment));
    return work(store).finally(() => store.close());
  };
  output.stdout = '';
  return {
    onStore,
    rows: (name: string) => onStore((store) => rowsOf(store, tableOf(name))),
    counts: () =>
      onStore((store) =>
        Promise.all(written.map((name) => store.read.tables.count(tableOf(name)))),
      ),
  };
}

async function rowsOf(store: Datastore, table: Table) {
  const rows = await store.read.tables.page(table, undefined, 100_000);
  return rows.map((row) =>
    Object.fromEntries(table.allColumns.map((column, at) => [column, row[at]])),
  );
}

const timesOf = (movements: Awaited<ReturnType<typeof rowsOf>>, workspaceId: number) =>
  movements.filter((row) => row.workspace_id === workspaceId).map(({ at }) => Number(at));

const run = (line: string) => runCommand(line.split(' '));

describe.each(['sqlite', 'postgres'])('petstore server demo on %s', (engine) => {
  it('makes a store with four weeks behind it, whose ledger adds up', async () => {
    const { rows } = await newStore(engine, 1);
    expect(await run('server demo --json'), output.stderr).toBe(0);
    const filled = JSON.parse(output.stdout);
    expect(filled).toMatchObject({ categories: 5, pets: 20 });
    expect(await run('server reconcile'), output.stdout).toBe(0);

    const movements = await rows('movements');
    const times = movements.map(({ at }) => Number(at));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(27 * DAY_MS);
    expect(times.at(-1)).toBeLessThanOrEqual(Date.now());
    const reasons = new Set(movements.map(({ reason }) => reason));
    for (const reason of ['Delivery', 'Stocktake', 'Damaged', 'Returned']) {
      expect(reasons).toContain(reason);
    }
    const keys = new Map((await rows('api_keys')).map(({ id, name }) => [id, name]));
    const names = new Set(movements.map(({ key_id }) => keys.get(key_id!)));
    expect(names).toEqual(new Set(['web shop', 'warehouse', 'counter']));

    const orders = await rows('orders');
    const open = orders.filter(({ state }) => state === 'open');
    const listed = orders.filter(({ state }) => state === 'open' || state === 'complete');
    expect([listed.length, open.length]).toEqual([filled.orders, filled.openOrders]);
    expect(orders.length).toBeGreaterThan(100);
    expect(open.every(({ ship_date }) => Number(ship_date) > Date.now() - DAY_MS)).toBe(true);
    const days = new Set((await rows('usage_days')).map(({ day }) => day));
    expect(days.size).toBe(29);
  });

  it('refuses a workspace with pets and changes nothing', async () => {
    const { counts } = await newStore(engine, 1);
    expect(await run('server demo --pets 1'), output.stderr).toBe(0);
    const before = await counts();
    output.stdout = '';
    expect(await run('server demo')).toBe(1);
    expect(output.stdout).toBe('');
    expect(output.stderr).toContain(
      'workspace 1 has pets; demo fills only a workspace without any',
    );
    expect(await counts()).toEqual(before);
  });

  it('makes four weeks beside a workspace that has rows, and changes none of them', async () => {
    const { rows, onStore } = await newStore(engine, 2);
    await onStore(async (store) => {
      const pet = { name: 'Rex', categoryId: await newCategory(store, 2), stock: oneUnit };
      await store.transact((tx) => createIn(tx, 2, pet, { keyId: 'key', at: Date.now() }));
    });
    const ofOther = async () => {
      const all = await Promise.all(written.map(rows));
      return all.map((some) => some.filter((row) => row.workspace_id === 2));
    };
    const before = await ofOther();
    expect(await run('server demo --pets 5'), output.stderr).toBe(0);
    expect(await ofOther()).toEqual(before);
    const times = timesOf(await rows('movements'), 1);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(27 * DAY_MS);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('begins after the rows that deleted pets have left in its ledger', async () => {
    const { rows, onStore } = await newStore(engine, 1);
    const weekAgo = Date.now() - 7 * DAY_MS;
    await onStore(async (store) => {
      const pet = { name: 'Rex', categoryId: await newCategory(store, 1), stock: oneUnit };
      const id = await store.transact((tx) => createIn(tx, 1, pet, { keyId: 'key', at: weekAgo }));
      await store.transact((tx) => tx.pets.hide(1, id!, weekAgo));
    });
    expect(await run('server demo --pets 5'), output.stderr).toBe(0);
    const times = timesOf(await rows('movements'), 1);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(6 * DAY_MS);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });
});

it('on PostgreSQL lets other workspaces write while it does', async () => {
  const { onStore, rows } = await newStore('postgres', 2);
  await onStore(async (store) => {
    const categoryId = await newCategory(store, 2);
    let isFilling = true;
    const filling = run('server demo --pets 100').finally(() => {
      isFilling = false;
    });
    const movements = () => store.read.tables.lastNumber(tableOf('movements'));
    await expect.poll(movements).toBeGreaterThan(0);
    const pet = { name: 'Rex', categoryId, stock: oneUnit };
    await store.transact((tx) => createIn(tx, 2, pet, { keyId: 'key', at: Date.now() }));
    expect(isFilling).toBe(true);
    expect(await filling, output.stderr).toBe(0);
  });
  expect(timesOf(await rows('movements'), 2)).toHaveLength(1);
});

describe('petstore server demo', () => {
  // Days that are over: the clock of the service follows a jump forward, and other tests share it.
  const hours = repeats({ usual: 4, thorough: 24 });
  it.each(Array.from({ length: hours }, (_, at) => (at * 24) / hours))(
    'has pets that are sold out, reserved and held back at %i:16',
    async (hour) => {
      const midnight = Math.floor(Date.now() / DAY_MS - 1) * DAY_MS;
      onTestFinished(() => void vi.useRealTimers());
      vi.setSystemTime(midnight + (hour + 16 / 60) * HOUR_MS);
      const { rows } = await newStore('sqlite', 1);
      expect(await run('server demo'), output.stderr).toBe(0);
      const pets = await rows('pets');
      expect(pets.some(({ quantity }) => quantity === 0)).toBe(true);
      expect(pets.some(({ quantity, reserved }) => quantity && quantity === reserved)).toBe(true);
      expect(pets.some(({ held }) => held === 1)).toBe(true);
    },
  );

  // The first and the last hour of several days of a week.
  const daysAgo = Array.from({ length: repeats({ usual: 2, thorough: 7 }) }, (_, at) => at + 1);
  it.each([0, 23].flatMap((hour) => daysAgo.map((days) => [hour, days])))(
    'reports no less for the day than for its minutes, at %i:16, %i days ago',
    async (hour, days) => {
      const midnight = Math.floor(Date.now() / DAY_MS - days!) * DAY_MS;
      onTestFinished(() => void vi.useRealTimers());
      vi.setSystemTime(midnight + (hour! + 16 / 60) * HOUR_MS);
      const { rows } = await newStore('sqlite', 1);
      expect(await run('server demo'), output.stderr).toBe(0);
      const sumOf = (list: Awaited<ReturnType<typeof rows>>, name: string) =>
        list.reduce((sum, row) => sum + Number(row[name]), 0);
      const day = (await rows('usage_days')).filter((row) => row.day === midnight / DAY_MS);
      const minutes = (await rows('usage_minutes')).filter(
        ({ minute }) => Number(minute) * 60_000 >= midnight,
      );
      expect(minutes.length).toBeGreaterThan(10);
      const refused = sumOf(minutes, 'refused');
      expect(sumOf(day, 'refused')).toBeGreaterThanOrEqual(refused);
      const admitted = sumOf(minutes, 'requests') - refused;
      expect(sumOf(day, 'admitted')).toBeGreaterThanOrEqual(admitted);
      // What plan Free admits in a day.
      expect(sumOf(day, 'admitted')).toBeLessThanOrEqual(1_000);
    },
  );

  it.each(['0', '1001', '-3', 'many'])('refuses --pets %s', async (pets) => {
    const { counts } = await newStore('sqlite', 1);
    const before = await counts();
    expect(await run(`server demo --pets=${pets}`)).toBe(2);
    expect(output.stderr).toContain('--pets takes an integer from 1 to 1000');
    expect(await counts()).toEqual(before);
  });

  it('has a name and a reference of its own for each of the most pets', () => {
    const animals = demoAnimals(1_000);
    expect(new Set(animals.map(({ name }) => name)).size).toBe(1_000);
    expect(new Set(animals.map(({ reference }) => reference)).size).toBe(1_000);
  });

  it('uses categories that are there, and gives every pet a name of its own', async () => {
    const count = repeats({ usual: 60, thorough: 1_000 });
    const { rows, onStore } = await newStore('sqlite', 1);
    await onStore((store) =>
      store.transact((tx) => tx.categories.create(1, { name: 'dogs', description: 'Ours.' })),
    );
    expect(await run(`server demo --pets ${count}`), output.stderr).toBe(0);
    expect(await rows('categories')).toHaveLength(5);
    const pets = await rows('pets');
    expect(new Set(pets.map(({ name }) => name)).size).toBe(count);
    expect(new Set(pets.map(({ reference }) => reference)).size).toBe(count);
    expect(pets[0]).toMatchObject({ reference: 'DOG-0001' });
    expect(pets.some(({ low_stock_at }) => low_stock_at !== null)).toBe(true);
    expect(await run('server reconcile'), output.stdout).toBe(0);
  });
});
