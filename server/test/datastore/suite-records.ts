import { expect, it } from 'vitest';
import type { Transaction } from '../../src/datastore/datastore.ts';
import { DELETED_MAX } from '../../src/datastore/runner.ts';
import type { StoredBan } from '../../src/domain/ban.ts';
import type { KeyRecord } from '../../src/domain/key.ts';
import { endOrder } from '../../src/domain/order.ts';
import {
  answer,
  claimKey,
  NOW,
  newShop,
  newWorkspace,
  type OpenEngine,
  type Opened,
  placeIn,
  Undo,
  why,
} from './fixture.ts';

const DAY_MS = 24 * 3_600_000;
const session = { name: 'session', hint: '', scopes: [], createdAt: 0, expiresAt: 1 };

interface OldRecords {
  add: (tx: Transaction, workspaceId: number, n: number) => Promise<unknown>;
  delete: (tx: Transaction) => Promise<number>;
}

/** Records of the first days of the epoch. */
const oldRecords: Record<string, OldRecords> = {
  'days of usage': {
    add: (tx, workspaceId, n) => {
      const counts = { admitted: 1, refused: 0, failed: 0, lastAt: 0 };
      return tx.usage.addDay(workspaceId, { day: 1, keyId: `${n}`, operationId: '', ...counts });
    },
    delete: (tx) => tx.oldRows.remove('usageDays', 2),
  },
  'minutes of usage': {
    add: (tx, workspaceId, n) =>
      tx.usage.addMinute(workspaceId, { minute: n, requests: 1, refused: 0 }),
    delete: (tx) => tx.oldRows.remove('usageMinutes', DELETED_MAX + 1),
  },
  sessions: {
    add: (tx, workspaceId, n) => {
      const id = `${workspaceId} session ${n}`;
      return tx.keys.create({ ...session, id, workspaceId, parentId: 'key' }, `digest ${id}`);
    },
    delete: (tx) => tx.oldRows.remove('sessions', 2),
  },
  'daily events': {
    add: (tx, workspaceId, n) => tx.events.claimFirstOfDay(workspaceId, 1, `${n}`),
    delete: (tx) => tx.oldRows.remove('dailyEvents', 2),
  },
};

export function recordsSuite(opened: Opened, open: OpenEngine): void {
  it('keeps the answer to a request for a day, in its workspace, for that request alone', async () => {
    const { store, other } = opened();
    const workspaceId = await newWorkspace(store);
    const claim = (fingerprint: string, now: number, workspace = workspaceId) =>
      other.transact((tx) =>
        claimKey(tx, { workspaceId: workspace, key: 'key', fingerprint, now }),
      );
    expect(await store.transact((tx) => claimKey(tx, { workspaceId, key: 'key' }))).toBe('claimed');
    expect(await claim('print', NOW + DAY_MS - 1)).toEqual(answer);
    expect(await claim('another', NOW + 1)).toBe('reused');
    expect(await claim('another', NOW, await newWorkspace(store))).toBe('claimed');
    expect(await claim('another', NOW + DAY_MS)).toBe('claimed');
  });

  it('keeps no claim of a unit that was undone', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const unit = store.transact(async (tx) => {
      await claimKey(tx, { workspaceId, key: 'key' });
      throw new Undo();
    });
    await expect(unit).rejects.toThrow(Undo);
    const other = { workspaceId, key: 'key', fingerprint: 'other' };
    expect(await store.transact((tx) => claimKey(tx, other))).toBe('claimed');
  });

  it('lets one of many claims through, and shows its answer to the others', async () => {
    const { store, other } = opened();
    const workspaceId = await newWorkspace(store);
    const claims = Array.from({ length: 16 }, (_, at) =>
      (at % 2 === 0 ? store : other).transact((tx) => claimKey(tx, { workspaceId, key: 'key' })),
    );
    const outcomes = await Promise.all(claims);
    expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome !== 'claimed')).toEqual(Array(15).fill(answer));
  });

  it('deletes answers that are too old, and only those', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const old = NOW - 1_000 * DAY_MS;
    await store.transact(async (tx) => {
      await claimKey(tx, { workspaceId, key: 'old', now: old });
      await claimKey(tx, { workspaceId, key: 'new', now: old + 1 });
      expect(await tx.oldRows.remove('responses', old)).toBe(1);
    });
    const claim = (key: string, fingerprint: string) =>
      store.transact((tx) => claimKey(tx, { workspaceId, key, fingerprint, now: old + DAY_MS }));
    expect(await claim('new', 'another')).toBe('reused');
    expect(await claim('old', 'another')).toBe('claimed');
  });

  it('deletes many old answers piece by piece', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const old = NOW - 2_000 * DAY_MS;
    await store.transact(async (tx) => {
      for (let n = 0; n <= DELETED_MAX; n++) {
        await claimKey(tx, { workspaceId, key: `answer ${n}`, now: old });
      }
    });
    const deleteOld = () => store.transact((tx) => tx.oldRows.remove('responses', old));
    expect([await deleteOld(), await deleteOld(), await deleteOld()]).toEqual([DELETED_MAX, 1, 0]);
  });

  it.each(Object.entries(oldRecords))('deletes many old %s piece by piece', async (_, kind) => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    await store.transact(async (tx) => {
      for (let n = 0; n <= DELETED_MAX; n++) await kind.add(tx, workspaceId, n);
    });
    const deleteOld = () => store.transact((tx) => kind.delete(tx));
    expect([await deleteOld(), await deleteOld(), await deleteOld()]).toEqual([DELETED_MAX, 1, 0]);
  });

  it('keeps counters as they were saved last, up to the largest number', async () => {
    const { store, other } = opened();
    const workspaceId = await newWorkspace(store);
    const counters = { minuteStart: NOW, minuteUsed: 3, dayStart: NOW, dayUsed: 7 };
    expect(await store.read.limits.findCounters(workspaceId)).toBeUndefined();
    await store.transact((tx) => tx.limits.saveCounters(workspaceId, counters));
    const largest = { ...counters, dayUsed: Number.MAX_SAFE_INTEGER };
    await store.transact((tx) => tx.limits.saveCounters(workspaceId, largest));
    expect(await other.read.limits.findCounters(workspaceId)).toEqual(largest);
  });

  it('lists the bans in force, lifts one once, and remembers its strikes', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const far = NOW + 10_000 * DAY_MS;
    const ban = (keyId: string, until: number, strikes = 1): StoredBan => {
      return { keyId, workspaceId, since: NOW, until, strikes, quietSince: NOW };
    };
    const [first, second] = [`a${workspaceId}`, `b${workspaceId}`];
    await store.transact(async (tx) => {
      await tx.limits.saveBan(ban(first, far + 2));
      await tx.limits.saveBan(ban(second, far));
      await tx.limits.saveBan(ban(second, far + 1, 2));
    });
    const inForce = async (now: number) =>
      (await store.read.limits.listBansInForce(now)).map(({ keyId }) => keyId);
    expect(await inForce(far)).toEqual([first, second]);
    expect(await inForce(far + 1)).toEqual([first]);
    const lift = () => store.transact((tx) => tx.limits.liftBan(ban(second, far), far));
    expect(await lift()).toBe(true);
    expect(await lift()).toBe(false);
    expect(await inForce(far)).toEqual([first]);
    expect(await inForce(NOW), 'also by a clock that was set back').toEqual([first]);
    expect(await store.read.limits.findBan(second)).toEqual(ban(second, 0, 2));
    expect(await store.read.limits.listBansOf(workspaceId)).toHaveLength(2);
  });

  it('revokes a key once, never puts its end off and never sets its last use back', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const id = `key${workspaceId}`;
    const key: KeyRecord = {
      id,
      workspaceId,
      name: 'till',
      hint: 'psk_',
      scopes: ['read', 'write'],
      createdAt: NOW,
    };
    await store.transact((tx) => tx.keys.create(key, `digest ${id}`));
    expect(await store.read.keys.find(workspaceId, id)).toEqual(key);
    await store.transact(async (tx) => {
      await tx.keys.touch(id, NOW + 5);
      await tx.keys.touch(id, NOW + 4);
      const rotate = (expiresAt: number) =>
        tx.keys.rotate(workspaceId, id, { at: NOW + 6, expiresAt });
      expect(await rotate(NOW + 9)).toBe(true);
      expect(await rotate(NOW + 10)).toBe(false);
      expect(await tx.keys.revoke(workspaceId, id, NOW + 7)).toBe(true);
      expect(await tx.keys.revoke(workspaceId, id, NOW + 8)).toBe(false);
    });
    const instants = { expiresAt: NOW + 9, revokedAt: NOW + 7, rotatedAt: NOW + 6 };
    const changed = { lastUsedAt: NOW + 5, ...instants };
    const listed = await store.read.keys.list(workspaceId, { now: NOW }, { sort: 'id', limit: 10 });
    expect(listed.items).toEqual([{ ...key, ...changed }]);
    const credential = await store.read.keys.findCredential(`digest ${id}`);
    expect(credential).toMatchObject({
      caller: { keyId: id, workspaceId, limits: { perMinute: 60 } },
      expiresAt: NOW + 9,
      revokedAt: NOW + 7,
    });
    expect(await store.read.keys.findCredential('digest of nothing')).toBeUndefined();
  });

  it('lists the keys that manage a workspace with the sessions of one key, and no others', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const add = (name: string, times: Partial<KeyRecord> = {}) =>
      store.transact((tx) => {
        const id = `${workspaceId} ${name}`;
        return tx.keys.create({ ...session, id, workspaceId, ...times }, `digest ${id}`);
      });
    const parents = { a: `${workspaceId} a`, b: `${workspaceId} b` };
    const scopes = ['read', 'manage'] as const;
    await add('a', { scopes, expiresAt: 100 });
    await add('b', { scopes, expiresAt: 10 });
    await add('expired', { scopes, expiresAt: 9 });
    await add('reads', { expiresAt: 100 });
    for (const [name, parentId] of Object.entries(parents)) {
      await add(`${name} later`, { parentId, createdAt: 2, expiresAt: 10 });
      await add(`${name} first`, { parentId, createdAt: 1, expiresAt: 10 });
      await add(`${name} ended`, { parentId, createdAt: 1, expiresAt: 10 });
      await store.transact((tx) => tx.keys.revoke(workspaceId, `${parentId} ended`, 3));
    }
    const names = (keys: readonly KeyRecord[]) =>
      keys.map(({ id }) => id.slice(`${workspaceId} `.length));
    await store.transact(async (tx) => {
      expect(names(await tx.keys.listSessions(parents.a, 9))).toEqual(['a first', 'a later']);
      expect(await tx.keys.listSessions(parents.a, 10)).toEqual([]);
      const ofKey = await tx.keys.listToRevokeAndLock(workspaceId, parents.a, 9);
      expect(names(ofKey).sort()).toEqual(['a', 'a first', 'a later', 'b']);
      const ofSession = await tx.keys.listToRevokeAndLock(workspaceId, `${parents.b} ended`, 9);
      expect(names(ofSession).sort()).toEqual(['a', 'b', 'b ended']);
    });
  });

  it('knows whether another key with operate stays, of any workspace', async () => {
    const { store } = opened();
    const [first, second] = [await newWorkspace(store), await newWorkspace(store)];
    const add = (workspaceId: number, name: string, more: Partial<KeyRecord> = {}) =>
      store.transact(async (tx) => {
        const id = `${workspaceId} ${name}`;
        const { expiresAt: _, ...lasting } = session;
        const key = { ...lasting, id, workspaceId, scopes: ['operate'] as const, ...more };
        await tx.keys.create(key, `digest ${id}`);
        return id;
      });
    const isBeside = (id: string) => store.transact((tx) => tx.keys.hasOperatorBeside(id));
    const own = await add(second, 'own');
    await add(first, 'expires', { expiresAt: 10 });
    await add(first, 'a session', { parentId: own });
    await add(first, 'reads', { scopes: ['read', 'manage'] });
    await add(first, 'revoked');
    await store.transact((tx) => tx.keys.revoke(first, `${first} revoked`, 3));
    expect(await isBeside(own)).toBe(false);
    const other = await add(first, 'another');
    await add(second, 'a third');
    expect([await isBeside(own), await isBeside(other)]).toEqual([true, true]);
  });

  it('deletes revoked sessions without an admitted request, and no other keys', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const [parentId, day] = [`${workspaceId} key`, 20_000];
    const opening = day * DAY_MS + DAY_MS - 10;
    const add = async (name: string, { revokedAt = 0, usedOn = 0, isSession = true }) => {
      const id = `${workspaceId} ${name}`;
      const times = { createdAt: opening, expiresAt: opening + DAY_MS };
      await store.transact(async (tx) => {
        const record = { ...session, ...times, id, workspaceId, ...(isSession && { parentId }) };
        await tx.keys.create(record, `digest ${id}`);
        if (revokedAt) await tx.keys.revoke(workspaceId, id, revokedAt);
        const usage = { day: usedOn, keyId: id, operationId: 'listPets', lastAt: 0, failed: 0 };
        const admitted = usedOn ? 1 : 0;
        await tx.usage.addDay(workspaceId, { ...usage, admitted, refused: 1 - admitted });
      });
    };
    const revokedAt = opening + 100;
    await add('key', { revokedAt, isSession: false });
    await add('open', {});
    await add('unused', { revokedAt });
    await add('used first day', { revokedAt, usedOn: day });
    await add('used next day', { revokedAt, usedOn: day + 1 });
    await add('too early', { revokedAt: revokedAt - 1 });
    await add('too late', { revokedAt: revokedAt + 1 });
    const deleteUnused = (tx: Transaction) =>
      tx.oldRows.removeUnusedSessions([revokedAt, ''], revokedAt);
    expect(await store.transact(deleteUnused)).toBeUndefined();
    expect(await store.read.keys.find(workspaceId, `${workspaceId} unused`)).toBeUndefined();
    expect(await store.read.keys.listAll(workspaceId)).toHaveLength(6);
  });

  it('adds up the usage that two processes report at once', async () => {
    const { store, other } = opened();
    const workspaceId = await newWorkspace(store);
    const usage = { day: 20_000, keyId: 'key', operationId: 'listPets' };
    const reports = Array.from({ length: 10 }, (_, at) =>
      (at % 2 === 0 ? store : other).transact(async (tx) => {
        const counts = { admitted: 2, refused: 1, failed: 0, lastAt: NOW + at };
        await tx.usage.addDay(workspaceId, { ...usage, ...counts });
        await tx.usage.addMinute(workspaceId, { minute: 7, requests: 3, refused: 1 });
      }),
    );
    await Promise.all(reports);
    const total = { ...usage, admitted: 20, refused: 10, failed: 0, lastAt: NOW + 9 };
    expect(await store.read.usage.days(workspaceId, 20_000)).toEqual([total]);
    expect(await store.read.usage.minutes(workspaceId, 0)).toEqual([
      { minute: 7, requests: 30, refused: 10 },
    ]);
  });

  it('places orders while there is stock, each with its ledger row, and filters them', async () => {
    const { store } = opened();
    const { workspaceId, petId } = await newShop(store, { quantity: 3, reserved: 0, held: false });
    const place = (quantity: number, complete: boolean, shipDate?: number) => {
      const order = { petId, quantity, complete, ...(shipDate === undefined ? {} : { shipDate }) };
      return store.transact((tx) => placeIn(tx, workspaceId, order, why));
    };
    const open = (await place(1, false, NOW))!;
    const complete = (await place(1, true))!;
    expect(await place(2, false)).toBeUndefined();
    expect((await store.read.pets.find(workspaceId, petId))!.stock).toEqual({
      quantity: 2,
      reserved: 1,
      held: false,
    });
    const page = { sort: 'id', limit: 10 } as const;
    const list = async (filter: Parameters<typeof store.read.orders.list>[1]) =>
      (await store.read.orders.list(workspaceId, filter, page)).items.map(({ id }) => id);
    expect(await list({ petId })).toEqual([open, complete]);
    expect(await list({ complete: true })).toEqual([complete]);
    expect(await list({ shipDateFrom: NOW, shipDateTo: NOW })).toEqual([open]);
    expect(await list({ shipDateFrom: NOW + 1 })).toEqual([]);
    const { items } = await store.read.ledger.list(workspaceId, { petId }, page);
    expect(items).toMatchObject([
      { cause: 'created', quantityBefore: 0, quantityAfter: 3 },
      { cause: 'reserved', reservedBefore: 0, reservedAfter: 1, orderId: open, keyId: 'key' },
      { cause: 'fulfilled', quantityBefore: 3, quantityAfter: 2, orderId: complete },
    ]);
    const cancel = (id: number) =>
      store.transact(async (tx) => {
        const order = (await tx.orders.findAndLock(workspaceId, id))!;
        const end = { state: 'cancelled', at: NOW + 1, reason: 'Ill' } as const;
        return tx.orders.update(workspaceId, endOrder(order, end));
      });
    expect([await cancel(complete), await cancel(open), await cancel(open)]).toEqual([
      false,
      true,
      false,
    ]);
    const ended = { state: 'cancelled', endedAt: NOW + 1, endReason: 'Ill' };
    expect(await store.read.orders.find(workspaceId, open)).toMatchObject(ended);
    expect(await list({})).toEqual([complete]);
    expect(await list({ state: ['cancelled', 'complete'] })).toEqual([open, complete]);
    expect(await list({ state: ['cancelled'], complete: false })).toEqual([]);
  });

  it('lets only the first of many find that there is no workspace yet', async () => {
    const { store, other, close } = await open();
    const create = { name: 'default', plan: 'free', createdAt: NOW } as const;
    const limits = { perMinute: 60, perDay: 1_000 };
    const starts = Array.from({ length: 8 }, (_, at) =>
      (at % 2 === 0 ? store : other).transact(async (tx) => {
        if (!(await tx.workspaces.lockIfEmpty())) return false;
        await tx.workspaces.create({ ...create, limits });
        return true;
      }),
    );
    expect((await Promise.all(starts)).filter(Boolean)).toHaveLength(1);
    const listed = await store.read.workspaces.list({ sort: 'id', limit: 10 });
    expect(listed.items).toHaveLength(1);
    await close();
  });
}
