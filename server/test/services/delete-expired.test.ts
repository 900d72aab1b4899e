import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { DELETED_MAX } from '../../src/datastore/runner.ts';
import { repeatUnderLease } from '../../src/services/cluster/repeat-under-lease.ts';
import { cleanUp } from '../../src/services/maintenance/delete-expired.ts';
import { openStore } from '../../src/stores.ts';
import { claimKey, newWorkspace } from '../datastore/fixture.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DAY_MS = 86_400_000;
const PIECES = 3;
const auditKept = { auditDays: 730, addressDays: 90 };
const session = {
  id: 'session',
  name: 'session',
  hint: '',
  scopes: [],
  createdAt: 0,
  expiresAt: 1,
  parentId: 'key',
};

const unexpected = (err: unknown) => expect.unreachable(String(err));

/** Runs the job once. */
function deleteExpired(
  store: Datastore,
  now: number,
  onFailure: (err: unknown) => void = unexpected,
) {
  const job = cleanUp({ clock: { now: () => now }, eventDays: 30, ...auditKept, onFailure });
  return job.run(store, new AbortController().signal);
}

async function newStore() {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const { store } = await openStore(readConfig({ PETSTORE_DATA_DIR: folder.path }));
  onTestFinished(() => store.close());
  const workspaceId = await newWorkspace(store);
  return { folder, store, workspaceId };
}

it('deletes rows of the audit log and, before that, their addresses', async () => {
  const { store, workspaceId } = await newStore();
  const now = Date.now();
  const { createKey } = await import('../../src/services/keys.ts');
  const add = (name: string, days: number) =>
    store.transact((tx) => {
      const by = { actor: { type: 'service' }, address: '192.0.2.7' } as const;
      const key = { name, scopes: [] };
      return createKey({ ...tx, by }, { workspaceId, key, now: now - days * DAY_MS });
    });
  await add('gone', 731);
  await add('without address', 91);
  await add('whole', 89);
  await deleteExpired(store, now);
  const rows = async () => {
    const page = { limit: 10, sort: 'at' } as const;
    const { items } = await store.read.auditLog.list(workspaceId, {}, page);
    return items.map(({ after, address }) => [after?.name, address]);
  };
  const left = [
    ['without address', undefined],
    ['whole', '192.0.2.7'],
  ];
  expect(await rows()).toEqual(left);
});

it('deletes all that is too old, and a stop waits for no more than a piece', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const { store } = await openStore(readConfig({ PETSTORE_DATA_DIR: folder.path }));
  const clock = { now: () => Date.now() };
  const failures: unknown[] = [];
  const onFailure = (err: unknown) => failures.push(err);
  const workspaceId = await newWorkspace(store);
  const old = clock.now() - 2 * DAY_MS;
  await store.transact(async (tx) => {
    for (let n = 0; n < PIECES * DELETED_MAX; n++) {
      await claimKey(tx, { workspaceId, key: `answer ${n}`, now: old });
    }
  });
  const job = cleanUp({ clock, eventDays: 30, ...auditKept, onFailure });
  const start = () => repeatUnderLease(job, { findLease: () => store, onFailure });
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

  await store.close();
  expect(failures).toEqual([]);
});

it('deletes a ban once its strikes no longer count', async () => {
  const { store, workspaceId } = await newStore();
  const now = Date.now();
  const endedDaysAgo = (days: number) => {
    const until = now - days * DAY_MS;
    return { workspaceId, since: until - 60_000, until, strikes: 1, quietSince: until };
  };
  await store.transact(async (tx) => {
    await tx.limits.saveBan({ ...endedDaysAgo(3), keyId: 'old' });
    await tx.limits.saveBan({ ...endedDaysAgo(3), keyId: 'refused since', quietSince: now });
    await tx.limits.saveBan({ ...endedDaysAgo(0.9), keyId: 'recent' });
    await tx.limits.saveBan({ ...endedDaysAgo(-1), keyId: 'in force' });
  });
  await deleteExpired(store, now);
  const kept = await store.read.limits.listBansOf(workspaceId);
  expect(kept.map(({ keyId }) => keyId)).toEqual(['in force', 'recent', 'refused since']);
});

it('deletes ended sessions that cost no quota, long before those that the ledger may name', async () => {
  const { store, workspaceId } = await newStore();
  const now = Date.now();
  const revokedDaysAgo = { 'used long ago': 40, used: 3, refused: 3, unused: 3, recent: 0.01 };
  await store.transact(async (tx) => {
    for (const [id, days] of Object.entries(revokedDaysAgo)) {
      const createdAt = now - days * DAY_MS - 1;
      const record = { ...session, id, workspaceId, createdAt, expiresAt: createdAt + DAY_MS / 2 };
      await tx.keys.create(record, `digest of ${id}`);
      await tx.keys.revoke(workspaceId, id, createdAt + 1);
    }
    const day = Math.floor(now / DAY_MS) - 3;
    const none = { day, operationId: 'listPets', admitted: 0, refused: 0, failed: 0, lastAt: now };
    await tx.usage.addDay(workspaceId, { ...none, keyId: 'used', admitted: 1 });
    await tx.usage.addDay(workspaceId, { ...none, keyId: 'refused', refused: 1 });
  });
  await deleteExpired(store, now);
  const kept = (await store.read.keys.listAll(workspaceId)).map(({ id }) => id);
  expect(kept).toEqual(['used long ago', 'used', 'recent']);
});

it('deletes the other kinds of records if one kind cannot be deleted', async () => {
  const { folder, store, workspaceId } = await newStore();
  await store.transact(async (tx) => {
    await claimKey(tx, { workspaceId, key: 'old', now: 0 });
    await tx.usage.addMinute(workspaceId, { minute: 0, requests: 1, refused: 0 });
    await tx.keys.create({ ...session, workspaceId }, 'digest');
    await tx.events.append(workspaceId, [{ type: 'workspace.updated', at: 0 }]);
  });
  const db = new Database(`${folder.path}/petstore.db`);
  db.exec(`CREATE TRIGGER broken BEFORE DELETE ON idempotency
    BEGIN SELECT RAISE(ABORT, 'broken'); END`);
  db.close();
  const failures: unknown[] = [];
  await deleteExpired(store, Date.now(), (err) => failures.push(err));
  const { usage, keys, events } = store.read;
  expect((await events.head(workspaceId)).firstSequence).toBe(2);
  expect(await usage.minutes(workspaceId, 0)).toEqual([]);
  expect(await keys.find(workspaceId, session.id)).toBeUndefined();
  expect(failures).toHaveLength(1);
});
