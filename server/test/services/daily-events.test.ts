import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import type { Caller } from '../../src/domain/key.ts';
import { formatInstant } from '../../src/lib/instant.ts';
import type { Verdict } from '../../src/limits/limiter.ts';
import { DailyEvents, NOTES_MAX } from '../../src/services/events/daily-events.ts';
import { liftBan, limitStoreOver, saveBan } from '../../src/services/limits.ts';
import { openStore } from '../../src/stores.ts';
import { newWorkspace } from '../datastore/fixture.ts';
import { readFeed } from '../datastore/suite-events.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DAY_MS = 86_400_000;
const MIDNIGHT = 20_000 * DAY_MS;
const folder = temporaryFolder();
let store: Datastore;

beforeAll(async () => {
  ({ store } = await openStore(readConfig({ PETSTORE_DATA_DIR: folder.path })));
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

function verdict(remaining: number, by?: 'day', resetAt = MIDNIGHT + DAY_MS): Verdict {
  const day = { name: 'day', limit: 10, remaining, resetAt } as const;
  const minute = { name: 'minute', limit: 10, remaining: 10, resetAt: MIDNIGHT } as const;
  const refusal = by && { by, retryAt: 0, until: 0, refusalsBeforeBan: 9 };
  return { at: 0, windows: [minute, day], ...(refusal ? { refusal } : {}) } as Verdict;
}

async function newNode(workspaceId: number, keyId = 'AAAAAAAAAAAA') {
  const caller: Caller = { keyId, workspaceId, scopes: [], limits: { perMinute: 10, perDay: 10 } };
  const clock = { at: MIDNIGHT, now: () => clock.at };
  const deprecations = new Map([['listPets', { sunset: '2027-06-30', successor: 'listAnimals' }]]);
  let isFailing = false;
  const flaky: Datastore = {
    ...store,
    transact: (work) => (isFailing ? Promise.reject(new Error('away')) : store.transact(work)),
  };
  const daily = new DailyEvents({ store: flaky, clock, deprecations, onFailure: () => undefined });
  const fail = (is: boolean) => {
    isFailing = is;
  };
  return { caller, clock, daily, fail };
}

async function emitted(workspaceId: number) {
  return (await readFeed(store, workspaceId)).map(({ type, keyId, data }) => ({
    type,
    keyId,
    data,
  }));
}

describe('events of a day', () => {
  it('warn at 80 % and tell when all is used, each once a day', async () => {
    const workspaceId = await newWorkspace(store);
    const { caller, clock, daily } = await newNode(workspaceId);
    for (const remaining of [9, 3]) daily.note(caller, 'getPet', verdict(remaining));
    await daily.flush();
    expect(await emitted(workspaceId)).toEqual([]);
    for (const remaining of [2, 1, 0]) daily.note(caller, 'getPet', verdict(remaining));
    daily.note(caller, 'getPet', verdict(0, 'day'));
    await daily.flush();
    const resetAt = MIDNIGHT + DAY_MS;
    const { keyId } = caller;
    const day = { limit: 'day', max: 10, resetAt: formatInstant(resetAt) };
    expect(await emitted(workspaceId)).toEqual([
      { type: 'limit.warning', keyId, data: { ...day, used: 8 } },
      { type: 'limit.reached', keyId, data: { ...day, used: 10 } },
    ]);
    clock.at += DAY_MS;
    daily.note(caller, 'getPet', verdict(2, undefined, resetAt + DAY_MS));
    await daily.close();
    expect((await emitted(workspaceId)).map(({ type }) => type)).toEqual([
      'limit.warning',
      'limit.reached',
      'limit.warning',
    ]);
  });

  it('wait in a bounded number while none can be written, and the others are noted with a later request', async () => {
    const workspaceId = await newWorkspace(store);
    const { caller, daily, fail } = await newNode(workspaceId);
    fail(true);
    for (let n = 0; n < NOTES_MAX; n++) {
      const other = { ...caller, workspaceId: 1_000_000 + n, keyId: `key ${n}` };
      daily.note(other, 'getPet', verdict(2));
    }
    daily.note(caller, 'getPet', verdict(2));
    await expect(daily.flush()).rejects.toThrow('away');
    fail(false);
    await daily.flush();
    expect(await emitted(workspaceId)).toEqual([]);
    daily.note(caller, 'getPet', verdict(2));
    await daily.close();
    expect(await emitted(workspaceId)).toMatchObject([{ type: 'limit.warning' }]);
  });

  it('say nothing of a day that ended before the response did, and tell of the next', async () => {
    const workspaceId = await newWorkspace(store);
    const { caller, clock, daily } = await newNode(workspaceId);
    clock.at += DAY_MS;
    daily.note(caller, 'getPet', verdict(1));
    daily.note(caller, 'getPet', verdict(9, undefined, clock.at + DAY_MS));
    await daily.flush();
    expect(await emitted(workspaceId)).toEqual([]);
    daily.note(caller, 'getPet', verdict(2, undefined, clock.at + DAY_MS));
    await daily.close();
    expect(await emitted(workspaceId)).toMatchObject([
      { type: 'limit.warning', data: { used: 8, resetAt: formatInstant(clock.at + DAY_MS) } },
    ]);
  });

  it('tell of a deprecated operation once per key', async () => {
    const workspaceId = await newWorkspace(store);
    const first = await newNode(workspaceId, 'AAAAAAAAAAAA');
    const second = await newNode(workspaceId, 'BBBBBBBBBBBB');
    for (const { caller, daily } of [first, first, second]) {
      daily.note(caller, 'listPets', verdict(9));
      daily.note(caller, 'getPet', verdict(9));
    }
    await first.daily.close();
    await second.daily.close();
    const data = { operationId: 'listPets', sunset: '2027-06-30', successor: 'listAnimals' };
    expect(await emitted(workspaceId)).toEqual([
      { type: 'deprecation.used', keyId: 'AAAAAAAAAAAA', data },
      { type: 'deprecation.used', keyId: 'BBBBBBBBBBBB', data },
    ]);
  });

  it('are emitted once by several nodes, and after a restart', async () => {
    const workspaceId = await newWorkspace(store);
    for (let nodes = 0; nodes < 3; nodes += 1) {
      const { caller, daily } = await newNode(workspaceId);
      daily.note(caller, 'getPet', verdict(1));
      await daily.close();
    }
    expect(await emitted(workspaceId)).toHaveLength(1);
  });

  it('wait while storage is away', async () => {
    const workspaceId = await newWorkspace(store);
    const { caller, daily, fail } = await newNode(workspaceId);
    fail(true);
    daily.note(caller, 'getPet', verdict(1));
    await expect(daily.flush()).rejects.toThrow('away');
    fail(false);
    await daily.close();
    expect(await emitted(workspaceId)).toHaveLength(1);
  });
});

describe('a ban', () => {
  it('is read as the limiter has saved it', async () => {
    const workspaceId = await newWorkspace(store);
    const keyId = 'DDDDDDDDDDDD';
    const limits = limitStoreOver(store);
    const ban = { since: 1_000, until: 61_000, strikes: 2, quietSince: 61_000 };
    await limits.saveBan(keyId, workspaceId, ban);
    const saved = { keyId, workspaceId, ...ban };
    expect(await limits.findBan(keyId)).toEqual(saved);
    expect(await limits.load(workspaceId)).toEqual({ bans: [saved] });
    expect(await limits.listBans(2_000, workspaceId)).toEqual([saved]);
    expect(await limits.listBans(61_000, workspaceId)).toEqual([]);
  });

  it('is emitted once when it starts, and when it is lifted', async () => {
    const workspaceId = await newWorkspace(store);
    const keyId = 'CCCCCCCCCCCC';
    const ban = {
      keyId,
      workspaceId,
      since: 1_000,
      until: 61_000,
      strikes: 1,
      quietSince: 1_000,
    };
    const save = (change: Partial<typeof ban>) =>
      store.transact((tx) => saveBan(tx, { ...ban, ...change }));
    await save({});
    await save({});
    // Another node, which decided alone, has banned the key as well.
    await save({ since: 500, until: 60_500 });
    const lift = () => store.transact((tx) => liftBan(tx, { keyId, now: 2_000 }));
    expect([await lift(), await lift()]).toEqual([true, false]);
    await save({ since: 70_000, until: 370_000, strikes: 2 });
    const events = await emitted(workspaceId);
    expect(events).toMatchObject([
      {
        type: 'ban.started',
        keyId,
        data: { ban: { keyId, workspaceId, until: formatInstant(61_000) } },
      },
      { type: 'ban.lifted', data: { ban: { keyId, until: formatInstant(2_000) } } },
      { type: 'ban.started', data: { ban: { strikes: 2 } } },
    ]);
    expect(events[1]!.keyId).toBeUndefined();
  });
});
