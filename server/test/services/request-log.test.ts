import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { EXAMINED_MAX } from '../../src/datastore/list.ts';
import type { LoggedRequest } from '../../src/domain/logs/request.ts';
import { REQUEST_ROWS_MAX, RequestLog } from '../../src/services/logs/request-log.ts';
import { REQUESTS_KEPT_MAX, trim } from '../../src/services/logs/trim-request-log.ts';
import { UsageRecorder } from '../../src/services/usage-recorder.ts';
import { openStore } from '../../src/stores.ts';
import { repeats } from '../support/effort.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NINE = Date.UTC(2026, 10, 15, 9);
const MANY = repeats({ usual: 12_000, thorough: REQUESTS_KEPT_MAX });
const folder = temporaryFolder();
let store: Datastore;
let log: RequestLog;
let usage: UsageRecorder;
let isFailing: boolean;
let isAnswerLost: boolean;
let workspaceId = 0;

beforeAll(async () => {
  ({ store } = await openStore(readConfig({ PETSTORE_DATA_DIR: folder.path })));
});
afterAll(async () => {
  await store.close();
  folder.remove();
});
beforeEach(() => {
  isFailing = false;
  isAnswerLost = false;
  workspaceId += 1;
  const flaky = {
    ...store,
    transact: (async (work) => {
      if (isFailing) throw new Error('the database is away');
      const value = await store.transact(work);
      if (isAnswerLost) throw new Error('the answer to the commit was lost');
      return value;
    }) as Datastore['transact'],
  };
  log = new RequestLog();
  usage = new UsageRecorder(flaky, { now: () => NINE }, () => undefined, log);
});

function request(n: number, other: Partial<LoggedRequest> = {}): Omit<LoggedRequest, 'entry'> {
  return {
    workspaceId,
    id: `request ${n}`,
    at: NINE + Math.floor(n / 3),
    method: 'POST',
    path: '/v1/pets',
    status: n % 2 === 0 ? 201 : 409,
    durationUs: 1,
    requestBytes: 0,
    responseBytes: 0,
    isReplay: false,
    via: 'http',
    address: '192.0.2.0/24',
    ...other,
  };
}

async function all(filter = {}, limit = 100): Promise<string[]> {
  const ids: string[] = [];
  for (let after: LoggedPage['end']; ; ) {
    const page: LoggedPage = await log.list(store.read.requestLog, {
      workspaceId,
      filter,
      page: { limit, sort: '-at', after },
    });
    ids.push(...page.items.map(({ id }) => id));
    if (!page.hasMore) return ids;
    after = page.end;
  }
}
type LoggedPage = Awaited<ReturnType<RequestLog['list']>>;

const named = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `request ${from + n}`).reverse();

describe('requests that wait', () => {
  it('are at most REQUEST_ROWS_MAX while the database is away; others are dropped and counted', async () => {
    isFailing = true;
    for (let n = 0; n < REQUEST_ROWS_MAX + 500; n++) {
      log.add(request(n));
      if (n % 5_000 === 0) await expect(usage.flush()).rejects.toThrow('away');
    }
    expect(log.dropped).toBe(500);
    isFailing = false;
    await usage.flush();
    expect(log.batches).toBe(0);
    expect(await all()).toEqual(named(0, REQUEST_ROWS_MAX));
    log.add(request(1));
    expect(log.dropped).toBe(500);
  });

  it('are written once, when the outcome of a write was unknown', async () => {
    for (let n = 0; n < 700; n++) log.add(request(n));
    isAnswerLost = true;
    await expect(usage.flush()).rejects.toThrow('lost');
    log.add(request(700));
    expect(await all()).toEqual(named(0, 701));
    isAnswerLost = false;
    await usage.flush();
    expect(log.batches).toBe(0);
    expect(await all()).toEqual(named(0, 701));
  });

  it('are dropped if the database refuses them, so that usage and later requests are written', async () => {
    const limits = { perMinute: 1, perDay: 1 };
    usage.count({ keyId: 'key', workspaceId, scopes: [], limits }, 'createPet', 'admitted');
    log.add(request(0, { status: 1.5 }));
    await expect(usage.flush()).rejects.toThrow();
    expect(await store.read.usage.days(workspaceId, 0)).toHaveLength(1);
    expect(log.dropped).toBe(1);
    log.add(request(1));
    await usage.flush();
    expect(await all()).toEqual(named(1, 2));
  });

  it('are written with the usage, in its transactions', async () => {
    let transactions = 0;
    const counted = {
      ...store,
      transact: ((work) => {
        transactions += 1;
        return store.transact(work);
      }) as Datastore['transact'],
    };
    const own = new UsageRecorder(counted, { now: () => NINE }, () => undefined, log);
    const limits = { perMinute: 1, perDay: 1 };
    own.count({ keyId: 'key', workspaceId, scopes: [], limits }, 'createPet', 'admitted');
    for (let n = 0; n < 100; n++) log.add(request(n));
    await own.flush();
    expect(transactions).toBe(1);
    expect(await store.read.usage.days(workspaceId, 0)).toHaveLength(1);
    expect(await all()).toHaveLength(100);
  });
});

it('lists the same rows in the same order, wherever they are', async () => {
  for (const written of [0, 1, 7, 40, 41]) {
    workspaceId += 1;
    for (let n = 0; n < 41; n++) {
      if (n === written) await usage.flush();
      log.add(request(n));
    }
    if (written === 41) await usage.flush();
    for (const limit of [1, 2, 40, 41, 100]) {
      expect(await all({}, limit)).toEqual(named(0, 41));
      const conflicts = named(0, 41).filter((_, at) => at % 2 === 1);
      expect(await all({ status: { lowest: 409, highest: 409 } }, limit)).toEqual(conflicts);
    }
  }
});

describe('a busy workspace', () => {
  it('has the newest of its requests kept, and the others deleted; no other workspace notices', async () => {
    for (let n = 0; n < 2_500; n++) log.add(request(n));
    const quiet = { workspaceId: workspaceId + 1_000 };
    log.add(request(0, quiet));
    log.add(request(0, { workspaceId: 0, at: NINE - 10 }));
    await usage.flush();
    await trim(store, { before: NINE, since: 0, now: NINE + 10_000, keptMax: 1_300 });
    // Requests of one millisecond go together.
    expect((await all()).length).toBeGreaterThan(1_297);
    expect(await all()).toEqual(named(2_500 - (await all()).length, 2_500));
    expect(await store.read.requestLog.find('request 0', quiet.workspaceId)).toBeDefined();
    expect(await store.read.requestLog.find('request 0', 0)).toBeUndefined();
    await trim(store, { before: NINE + 10_000, since: NINE + 10_000, now: NINE + 10_000 });
    expect(await all()).toEqual([]);
  });

  it('is looked through once, and again only when it may have too many requests', async () => {
    let looks = 0;
    const { requestLog } = store.read;
    const counting = {
      owners: requestLog.owners.bind(requestLog),
      countAfter: requestLog.countAfter.bind(requestLog),
      placeOf: (id: number, newer: number) => {
        looks += id === workspaceId ? 1 : 0;
        return requestLog.placeOf(id, newer);
      },
    };
    const read = { ...store.read, requestLog: counting as unknown as typeof requestLog };
    const counted = new Map();
    const transact: Datastore['transact'] = (work) => store.transact(work);
    const under = { read, transact, tidy: () => store.tidy() };
    const looksAfter = async (from: number, to: number, now = NINE + 10_000) => {
      for (let n = from; n < to; n++) log.add(request(n));
      await usage.flush();
      await trim(under, { before: NINE, since: 0, now, keptMax: 2_000, counted });
      return looks;
    };
    expect(await looksAfter(0, 900)).toBe(1);
    expect(await looksAfter(900, 2_000)).toBe(1);
    expect(await looksAfter(2_000, 2_100)).toBe(1);
    expect((await all()).length).toBe(2_100);
    expect(await looksAfter(2_100, 3_300)).toBe(2);
    expect((await all()).length).toBeLessThanOrEqual(2_000);
    expect(await looksAfter(3_300, 3_400)).toBe(2);
    // The clock was set back.
    expect(await looksAfter(3_400, 3_401, NINE - 1)).toBe(3);
  });

  it('is listed with few rows read, also by a filter that matches nothing', async () => {
    for (let done = 0; done < MANY; done += 10_000) {
      for (let n = done; n < Math.min(done + 10_000, MANY); n++) log.add(request(n));
      await usage.flush();
    }
    let pages = 0;
    for (let after: LoggedPage['end']; ; pages++) {
      const filter = { code: 'nothing' };
      const page: LoggedPage = await log.list(store.read.requestLog, {
        workspaceId,
        filter,
        page: { limit: 20, sort: '-at', after },
      });
      expect(page.items).toEqual([]);
      if (!page.hasMore) break;
      after = page.end;
    }
    expect(pages).toBe(Math.floor(MANY / EXAMINED_MAX));
    expect((await all({}, 100)).length).toBe(MANY);
  });
});
