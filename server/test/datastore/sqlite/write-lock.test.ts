import Database from 'better-sqlite3';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { BUSY_MS, WriteLock } from '../../../src/datastore/sqlite/write-lock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let own: Database.Database;
let other: Database.Database;
/** Pausing moves the clock, and calls back first. */
let now: number;
let pauses: number;
let onPause: () => void;
let lock: WriteLock;

beforeEach(() => {
  const folder = temporaryFolder();
  own = new Database(`${folder.path}/a.db`, { timeout: 0 });
  own.pragma('journal_mode = WAL');
  other = new Database(`${folder.path}/a.db`, { timeout: 0 });
  onTestFinished(() => {
    own.close();
    other.close();
    folder.remove();
  });
  now = 0;
  pauses = 0;
  onPause = () => undefined;
  const pause = async (milliseconds: number) => {
    onPause();
    pauses += 1;
    now += milliseconds;
  };
  lock = new WriteLock(own, { now: () => now, pause });
});

it('begins a transaction once another process releases the lock', async () => {
  other.exec('BEGIN IMMEDIATE');
  onPause = () => {
    if (pauses === 3) other.exec('COMMIT');
  };
  await lock.begin();
  expect(own.inTransaction).toBe(true);
  expect(pauses).toBe(4);
});

it('gives up when the lock is held for too long, and then waits no more while it is held', async () => {
  other.exec('BEGIN IMMEDIATE');
  await expect(lock.begin()).rejects.toThrow('locked');
  expect(now).toBeGreaterThan(BUSY_MS);
  expect(now).toBeLessThan(BUSY_MS + 100);
  pauses = 0;
  await expect(lock.begin()).rejects.toThrow('locked');
  await expect(lock.begin()).rejects.toThrow('locked');
  expect(pauses).toBe(0);
  other.exec('COMMIT');
  await lock.begin();
  expect(own.inTransaction).toBe(true);
});

it('waits again for a lock that it meets after a while', async () => {
  other.exec('BEGIN IMMEDIATE');
  await expect(lock.begin()).rejects.toThrow('locked');
  now += 2 * BUSY_MS;
  onPause = () => {
    if (other.inTransaction) other.exec('COMMIT');
  };
  await lock.begin();
  expect(own.inTransaction).toBe(true);
});

it('throws other failures at once', async () => {
  own.exec('BEGIN');
  await expect(lock.begin()).rejects.toThrow('within a transaction');
  expect(pauses).toBe(0);
});
