import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkRepeats } from '../../../torture/checks/check-repeats.ts';
import { check } from '../../../torture/checks/checkers.ts';
import { Client } from '../../../torture/client.ts';
import { History } from '../../../torture/history.ts';
import { runCommand, Service } from '../../../torture/service.ts';
import { faultsInDatabase, readState } from '../../../torture/state.ts';
import { newStore, type Store } from '../../../torture/store.ts';
import { Workload } from '../../../torture/workload.ts';

const history = new History();
let store: Store;
let service: Service;
let workload: Workload;

beforeAll(async () => {
  store = await newStore();
  service = await Service.start(store);
  workload = new Workload(history, store.apiKey, () => service.port, 8);
  await workload.open();
});
afterAll(async () => {
  await service?.end('SIGINT');
  store?.remove();
});

it.each([
  // What was written last is only in the log as yet.
  ['just before', false],
  ['while it goes on', true],
])(
  'restores every write that was acknowledged before the backup began: %s',
  async (name, isBusy) => {
    const copy = join(store.folder, `${name}.db`);
    workload.start();
    const before = history.count('ok');
    while (history.count('ok') - before < 25) await pause(10);
    if (!isBusy) await workload.stop();
    const begunAt = performance.now();
    const { code, output } = await runCommand(
      ['server', 'backup', '--to', copy],
      store.environment,
    );
    await workload.stop();
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(existsSync(`${copy}.partial`)).toBe(false);

    const folder = join(store.folder, name);
    mkdirSync(folder, { mode: 0o700 });
    copyFileSync(copy, join(folder, 'petstore.db'));
    const restored = { ...store, folder, environment: { PETSTORE_DATA_DIR: folder } };
    const known = history.asOf(begunAt);
    expect(known.count('ok')).toBeGreaterThan(20);
    expect(await faultsOf(restored, known)).toEqual([]);
  },
);

it('keeps serving, and loses nothing', async () => {
  const client = new Client(service.port, store.apiKey);
  expect(check(history, await readState(client))).toEqual([]);
  client.close();
});

async function faultsOf(restored: Store, known: History): Promise<string[]> {
  const copy = await Service.start(restored);
  const client = new Client(copy.port, restored.apiKey);
  try {
    return [
      ...check(known, await readState(client)),
      ...(await faultsInDatabase(restored)),
      ...(await checkRepeats(known, client, 1_000)),
    ];
  } finally {
    client.close();
    await copy.end('SIGINT');
  }
}
