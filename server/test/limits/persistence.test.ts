import { afterAll, expect, test } from 'vitest';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../src/datastore/sqlite/sqlite-datastore.ts';
import type { Caller } from '../../src/domain/key.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import { MemoryLimiter } from '../../src/limits/memory/memory-limiter.ts';
import { liftBan, limitStoreOver } from '../../src/services/limits.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { rules } from './history.ts';

const folder = temporaryFolder();
const file = `${folder.path}/limits.db`;
migrateSqlite(file);
const opened: SqliteDatastore[] = [];
const failures: unknown[] = [];

afterAll(async () => {
  for (const store of opened) await store.close();
  folder.remove();
  expect(failures).toEqual([]);
});

/** Opens another limiter on the same file, as a process does after the last one was killed. */
function start(): MemoryLimiter {
  const store = new SqliteDatastore(file, new Coalescer());
  opened.push(store);
  return new MemoryLimiter({
    store: limitStoreOver(store),
    clock: { now: Date.now },
    policy: rules,
    onStoreFailure: (err) => failures.push(err),
  });
}

async function send(limiter: MemoryLimiter, caller: Caller, times: number): Promise<number> {
  const sent = Array.from({ length: times }, () => limiter.admit(caller, 1));
  return (await Promise.all(sent)).filter(({ refusal }) => !refusal).length;
}

function callerOf(workspaceId: number): Caller {
  // The day is the window that refuses: a minute could end during a test on a slow machine.
  const limits = { perMinute: 1_000, perDay: 60 };
  return { keyId: `key${workspaceId}`, workspaceId, scopes: [], limits };
}

test('admits exactly 60 of 80 requests at once, on a real database', async () => {
  expect(await send(start(), callerOf(1), 80)).toBe(60);
});

test('a kill within a window gives no request back and forfeits at most three', async () => {
  for (let workspaceId = 10; workspaceId < 20; workspaceId++) {
    const caller = callerOf(workspaceId);
    const before = await send(start(), caller, workspaceId * 2);
    const after = await send(start(), caller, 70);
    expect(before + after).toBeLessThanOrEqual(60);
    expect(before + after).toBeGreaterThanOrEqual(57);
  }
});

test('a ban survives the process, is listed, and can be lifted by another process', async () => {
  const caller = callerOf(30);
  const limiter = start();
  await send(limiter, caller, 90);
  const next = start();
  expect((await next.admit(caller, 1)).refusal?.by).toBe('ban');
  expect(await next.bans(30)).toMatchObject([{ keyId: 'key30', workspaceId: 30, strikes: 1 }]);
  const lift = { keyId: 'key30', now: Date.now() };
  expect(await opened[0]!.transact((tx) => liftBan(tx, lift))).toBe(true);
  expect(await next.bans(30)).toEqual([]);
});
