import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import type { Caller } from '../../src/domain/key.ts';
import { limitStoreOver } from '../../src/services/limits.ts';
import { UsageRecorder } from '../../src/services/usage-recorder.ts';
import { openStore } from '../../src/stores.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { NINE } from './still-clock.ts';

const NINE_MINUTE = NINE / 60_000;
const SUNDAY = Math.floor(NINE / 86_400_000);
const folder = temporaryFolder();
let store: Datastore;
let now: number;
let isFailing: boolean;
let isAnswerLost: boolean;
/** How many of the next transactions fail. */
let failingBatches: number;
/** How many transactions were committed. */
let written: number;
let workspaceId = 100;
let usage: UsageRecorder;

beforeAll(async () => {
  ({ store } = await openStore(readConfig({ PETSTORE_DATA_DIR: folder.path })));
});
afterAll(async () => {
  await store.close();
  folder.remove();
});
beforeEach(() => {
  now = NINE;
  isFailing = false;
  isAnswerLost = false;
  failingBatches = 0;
  workspaceId += 1;
  const flaky = {
    ...store,
    transact: (async (work) => {
      if (isFailing) throw new Error('no disk');
      if (failingBatches > 0) {
        failingBatches -= 1;
        throw new Error('this batch fails');
      }
      const value = await store.transact(work);
      written += 1;
      if (isAnswerLost) throw new Error('the answer to the commit was lost');
      return value;
    }) as Datastore['transact'],
  };
  written = 0;
  usage = new UsageRecorder(flaky, { now: () => now }, () => undefined);
});

function callerOf(keyId: string): Caller {
  return { keyId, workspaceId, scopes: [], limits: { perMinute: 60, perDay: 1_000 } };
}

describe('what is counted', () => {
  it('is written in several transactions when there are many keys, none of them too long', async () => {
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 2_500; n++) usage.count(callerOf(`key ${n}`), 'getPet', 'admitted');
    }
    await usage.flush();
    const days = await store.read.usage.days(workspaceId, 0);
    expect(days).toHaveLength(2_500);
    expect(days.every(({ admitted }) => admitted === 2)).toBe(true);
    expect(written).toBeGreaterThanOrEqual(3);
  });

  it('is cut by its rows, also when few keys call many operations', async () => {
    for (let n = 0; n < 2_500; n++) usage.count(callerOf('key'), `operation ${n}`, 'admitted');
    await usage.flush();
    expect(await store.read.usage.days(workspaceId, 0)).toHaveLength(2_500);
    expect(written).toBe(3);
  });

  it('is written once for all who ask at the same time', async () => {
    usage.count(callerOf('key'), 'getPet', 'admitted');
    await Promise.all(Array.from({ length: 500 }, () => usage.flush()));
    expect(written).toBe(1);
  });

  it('is written although an older batch cannot be', async () => {
    failingBatches = 1;
    usage.count(callerOf('old'), 'getPet', 'admitted');
    await expect(usage.flush()).rejects.toThrow('this batch fails');
    failingBatches = 1;
    usage.count(callerOf('new'), 'getPet', 'admitted');
    await expect(usage.flush()).rejects.toThrow('this batch fails');
    const keys = async () =>
      (await store.read.usage.days(workspaceId, 0)).map(({ keyId }) => keyId);
    expect(await keys()).toEqual(['new']);
    await usage.flush();
    expect(await keys()).toEqual(['new', 'old']);
  });

  it('is counted once when the outcome of a write is unknown and the write is repeated', async () => {
    for (let n = 0; n < 10; n++) usage.count(callerOf('a'), 'getPet', 'admitted');
    isAnswerLost = true;
    await expect(usage.flush()).rejects.toThrow('the answer to the commit was lost');
    usage.count(callerOf('a'), 'getPet', 'admitted');
    await expect(usage.flush()).rejects.toThrow('the answer to the commit was lost');
    isAnswerLost = false;
    await usage.flush();
    const [day] = await store.read.usage.days(workspaceId, 0);
    expect(day).toMatchObject({ keyId: 'a', operationId: 'getPet', admitted: 11 });
    expect(await store.read.usage.minutes(workspaceId, 0)).toEqual([
      { minute: NINE_MINUTE, requests: 11, refused: 0 },
    ]);
  });

  it('is written by day, key and operation, and by minute', async () => {
    usage.count(callerOf('a'), 'getPet', 'admitted');
    usage.count(callerOf('a'), 'getPet', 'failed');
    usage.count(callerOf('a'), 'getPet', 'refused');
    usage.count(callerOf('b'), 'listPets', 'admitted');
    usage.touch(callerOf('c'));
    await usage.flush();
    const none = { admitted: 0, refused: 0, failed: 0 };
    expect(await store.read.usage.days(workspaceId, 0)).toEqual([
      {
        day: SUNDAY,
        keyId: 'a',
        operationId: 'getPet',
        admitted: 1,
        refused: 1,
        failed: 1,
        lastAt: NINE,
      },
      { ...none, day: SUNDAY, keyId: 'b', operationId: 'listPets', admitted: 1, lastAt: NINE },
    ]);
    expect(await store.read.usage.minutes(workspaceId, 0)).toEqual([
      { minute: NINE_MINUTE, requests: 3, refused: 1 },
    ]);
  });

  it('goes to the minute and the day in which it came', async () => {
    for (const at of [NINE, NINE + 59_999, NINE + 60_000, NINE + 15 * 3_600_000, NINE + 60_000]) {
      now = at;
      usage.count(callerOf('a'), 'getPet', 'admitted');
    }
    await usage.flush();
    const days = await store.read.usage.days(workspaceId, 0);
    expect(days.map(({ day, admitted }) => [day - SUNDAY, admitted])).toEqual([
      [0, 4],
      [1, 1],
    ]);
    const minutes = await store.read.usage.minutes(workspaceId, 0);
    expect(minutes.map(({ minute, requests }) => [minute - NINE_MINUTE, requests])).toEqual([
      [0, 2],
      [1, 2],
      [15 * 60, 1],
    ]);
  });

  it('is written once, by the first write that succeeds', async () => {
    isFailing = true;
    for (let n = 0; n < 5; n++) {
      usage.count(callerOf('a'), 'getPet', 'admitted');
      await expect(usage.flush()).rejects.toThrow('no disk');
      if (n === 2) now += 60_000;
    }
    isFailing = false;
    usage.count(callerOf('a'), 'getPet', 'admitted');
    await usage.flush();
    await usage.flush();
    const [day] = await store.read.usage.days(workspaceId, 0);
    expect(day).toMatchObject({ admitted: 6, lastAt: NINE + 60_000 });
    const minutes = await store.read.usage.minutes(workspaceId, 0);
    expect(minutes.map(({ requests }) => requests)).toEqual([3, 3]);
  });

  it('is the day from which a limiter goes on that has lost its counts', async () => {
    const { countAdmitted } = limitStoreOver(store);
    for (const keyId of ['a', 'b', 'b']) usage.count(callerOf(keyId), 'getPet', 'admitted');
    usage.count(callerOf('a'), 'listPets', 'refused');
    now += 86_400_000;
    usage.count(callerOf('a'), 'getPet', 'admitted');
    await usage.flush();
    expect(await countAdmitted(workspaceId, SUNDAY * 86_400_000)).toBe(3);
    expect(await countAdmitted(workspaceId, (SUNDAY + 1) * 86_400_000)).toBe(1);
    expect(await countAdmitted(workspaceId, (SUNDAY + 2) * 86_400_000)).toBe(0);
  });

  it('is not lost while a write is under way', async () => {
    usage.count(callerOf('a'), 'getPet', 'admitted');
    const flushed = usage.flush();
    for (let n = 0; n < 10; n++) {
      usage.count(callerOf('a'), 'getPet', 'admitted');
      await Promise.resolve();
    }
    await flushed;
    await usage.close();
    const [day] = await store.read.usage.days(workspaceId, 0);
    expect(day!.admitted).toBe(11);
  });
});
