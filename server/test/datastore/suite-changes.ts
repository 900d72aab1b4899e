import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { CHANGES_MAX, type LoggedChange } from '../../src/datastore/cluster/changes.ts';
import type { Datastore, Transaction } from '../../src/datastore/datastore.ts';
import { ChangeLog } from '../../src/services/cluster/change-log.ts';
import { NOW, newWorkspace, type Opened, Undo } from './fixture.ts';

/** A reader of the log that knows all that was changed before, and what it has dropped since. */
async function readerOf(store: Datastore) {
  const dropped: (LoggedChange | 'all')[] = [];
  const log = new ChangeLog({
    changes: store.read.changes,
    onFailure: (err) => expect.unreachable(String(err)),
  });
  await log.catchUp();
  log.listen({
    drop: ({ workspaceId, kind, subject }) => dropped.push({ workspaceId, kind, subject }),
    clear: () => dropped.push('all'),
  });
  onTestFinished(() => log.close());
  return { log, dropped };
}

async function rename(tx: Transaction, id: number): Promise<void> {
  await tx.workspaces.update((await tx.workspaces.findAndLock(id))!);
}

/** Until the next tick a store on SQLite reads what it has read before. */
const nextTick = () => setImmediate();
const changeOf = (id: number) => ({ workspaceId: id, kind: 'workspace', subject: String(id) });

export function changeSuite(opened: Opened, takesMany: boolean): void {
  it('tells every node once of every change that was committed, and of no other', async () => {
    const { store, other } = opened();
    const id = await newWorkspace(store);
    const key = { id: `key ${id}`, workspaceId: id, name: '', hint: '', scopes: [], createdAt: 0 };
    await store.transact((tx) => tx.keys.create(key, `digest ${id}`));
    const readers = [await readerOf(store), await readerOf(other)];
    await store.transact(async (tx) => {
      await rename(tx, id);
      await tx.keys.rotate(id, key.id, { at: NOW, expiresAt: NOW });
      await tx.keys.revoke(id, key.id, NOW);
      const ban = { since: NOW, until: NOW, strikes: 1, quietSince: NOW };
      await tx.limits.saveBan({ ...ban, keyId: key.id, workspaceId: id });
    });
    const undone = store.transact(async (tx) => {
      await rename(tx, id);
      throw new Undo();
    });
    await expect(undone).rejects.toThrow(Undo);
    const ofKey = (kind: string) => ({ workspaceId: id, kind, subject: key.id });
    for (const { log, dropped } of readers) {
      await log.catchUp();
      await log.catchUp();
      const expected = [changeOf(id), ofKey('key'), ofKey('key'), ofKey('ban')];
      expect(dropped.toReversed()).toEqual(expected);
    }
  });

  if (takesMany) {
    it('tells to drop everything when there are too many changes to tell', async () => {
      const { store, other } = opened();
      const id = await newWorkspace(store);
      const { log, dropped } = await readerOf(other);
      await store.transact(async (tx) => {
        for (let n = 0; n < CHANGES_MAX; n++) await rename(tx, id);
      });
      await log.catchUp();
      expect(dropped).toEqual(['all']);
      await store.transact((tx) => rename(tx, id));
      await nextTick();
      await log.catchUp();
      expect(dropped).toEqual(['all', changeOf(id)]);
    });
  }

  it('tells each of many changes, and to drop no more, however soon they come one after the other', async () => {
    const { store, other } = opened();
    const [busy, quiet] = [await newWorkspace(store), await newWorkspace(store)];
    const { log, dropped } = await readerOf(other);
    for (let round = 0; round < 4; round++) {
      await store.transact(async (tx) => {
        for (let n = 0; n < CHANGES_MAX / 4; n++) await rename(tx, busy);
      });
      await nextTick();
      await log.catchUp();
    }
    await store.transact((tx) => rename(tx, quiet));
    await nextTick();
    await log.catchUp();
    expect(dropped).toEqual([...Array(CHANGES_MAX).fill(changeOf(busy)), changeOf(quiet)]);
  });

  it('tells to drop everything when the newest changes are lost, as by a failover', async () => {
    const { store, other } = opened();
    const id = await newWorkspace(store);
    await store.transact((tx) => rename(tx, id));
    const { log, dropped } = await readerOf(other);
    await opened().execute('DELETE FROM changes');
    await log.catchUp();
    expect(dropped).toEqual(['all']);
    await store.transact((tx) => rename(tx, id));
    await nextTick();
    await log.catchUp();
    expect(dropped).toEqual(['all', changeOf(id)]);
  });

  it('deletes what every node has read', async () => {
    const { store } = opened();
    const id = await newWorkspace(store);
    await store.transact((tx) => rename(tx, id));
    await opened().execute('UPDATE changes SET at = at - 3600001');
    await store.transact((tx) => rename(tx, id));
    while (await store.transact((tx) => tx.changes.deleteOld()));
    expect(await store.read.changes.list(0)).toHaveLength(1);
  });
}

/** Where transactions run side by side. */
export function lateChangeSuite(opened: Opened): void {
  it('tells of a change that was made before another and committed after it', async () => {
    const { store, other } = opened();
    const [early, late] = [await newWorkspace(store), await newWorkspace(store)];
    const { log, dropped } = await readerOf(other);
    const { promise: held, resolve: commit } = Promise.withResolvers<void>();
    const { promise: written, resolve: note } = Promise.withResolvers<void>();
    const committing = store.transact(async (tx) => {
      await rename(tx, late);
      // The row is sent with the next statement.
      await tx.workspaces.find(late);
      note();
      await held;
    });
    await written;
    await other.transact((tx) => rename(tx, early));
    await log.catchUp();
    expect(dropped).toEqual([changeOf(early)]);
    commit();
    await committing;
    await log.catchUp();
    expect(dropped).toEqual([changeOf(early), changeOf(late)]);
  });
}
