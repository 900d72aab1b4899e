import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { DELETED_MAX } from '../../src/datastore/idempotency.ts';
import { deletePeriodically } from '../../src/services/maintenance/delete-expired.ts';
import { UsageRecorder } from '../../src/services/usage.ts';
import { openStore } from '../../src/stores.ts';
import { claimKey, newWorkspace } from '../datastore/fixture.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DAY_MS = 86_400_000;
const PIECES = 3;

it('deletes all that is too old, and a stop waits for no more than a piece', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const { store } = await openStore(readConfig({ PETSTORE_DATA_DIR: folder.path }));
  const clock = { now: () => Date.now() };
  const failures: unknown[] = [];
  const onFailure = (err: unknown) => failures.push(err);
  const usage = new UsageRecorder(store, clock, onFailure);
  const workspaceId = await newWorkspace(store);
  const old = clock.now() - 2 * DAY_MS;
  await store.transact(async (tx) => {
    for (let n = 0; n < PIECES * DELETED_MAX; n++) {
      await claimKey(tx, { workspaceId, key: `answer ${n}`, now: old });
    }
  });
  const start = () => deletePeriodically({ store, usage, clock, eventDays: 30, onFailure });
  const isThere = (n: number) =>
    store.transact(async (tx) => {
      const wanted = { fingerprint: 'print', now: old };
      return (await tx.idempotency.find(workspaceId, `answer ${n}`, wanted)) !== undefined;
    });

  await start()();
  expect(await isThere(0)).toBe(false);
  expect(await isThere(PIECES * DELETED_MAX - 1)).toBe(true);

  const stop = start();
  await expect.poll(() => isThere(PIECES * DELETED_MAX - 1), { timeout: 60_000 }).toBe(false);
  await stop();
  await usage.close();
  await store.close();
  expect(failures).toEqual([]);
});
