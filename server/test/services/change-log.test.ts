// What a node keeps in memory is used only while it knows what has changed.

import { afterEach, expect, it, vi } from 'vitest';
import { ChangeReader } from '../../src/datastore/cluster/changes.ts';
import { KeyReader } from '../../src/datastore/keys.ts';
import { ChangeLog } from '../../src/services/cluster/change-log.ts';
import { testApp } from '../support/app.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A log whose reads a test lets succeed, fail or wait. */
class ScriptedReader extends ChangeReader {
  next = async (): Promise<void> => undefined;
  constructor() {
    super(undefined as never);
  }
  override async list() {
    await this.next();
    return [];
  }
}

/** A log that is read twice a second by a clock that the test moves. */
function heldLog() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const failures: unknown[] = [];
  const changes = new ScriptedReader();
  const log = new ChangeLog({ changes, onFailure: (err) => failures.push(err) });
  return { log, changes, failures };
}
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const fail = () => Promise.reject(new Error('no connection'));

it('counts as read for two seconds from the last read that succeeded', async () => {
  const { log, changes, failures } = heldLog();
  expect(log.isRead()).toBe(false);
  await log.start();
  expect(log.isRead()).toBe(true);
  await pass(60_000);
  expect(log.isRead()).toBe(true);
  changes.next = fail;
  await pass(1_999);
  expect(log.isRead()).toBe(true);
  await pass(1);
  expect(log.isRead()).toBe(false);
  await pass(60_000);
  expect(log.isRead()).toBe(false);
  expect(failures).toHaveLength(124);
  changes.next = async () => undefined;
  await pass(500);
  expect(log.isRead()).toBe(true);
  await log.close();
});

it('counts as read from the beginning of a slow read, which may have missed what came after it', async () => {
  const { log, changes } = heldLog();
  await log.start();
  const { promise, resolve } = Promise.withResolvers<void>();
  changes.next = () => promise;
  await pass(500);
  changes.next = fail;
  await pass(1_999);
  expect(log.isRead()).toBe(false);
  resolve();
  await pass(0);
  expect(log.isRead()).toBe(true);
  await pass(1);
  expect(log.isRead()).toBe(false);
  await log.close();
});

it('asks the database for the key of each request while changes cannot be read', async () => {
  let aheadMs = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
  const asked = vi.spyOn(KeyReader.prototype, 'findCredential');
  const app = await testApp({ engine: 'sqlite' });
  const read = async () => {
    asked.mockClear();
    expect((await app.call('GET', '/v1/workspace')).status).toBe(200);
    return asked.mock.calls.length;
  };
  await expect.poll(read).toBe(0);
  const reads = vi.spyOn(ChangeReader.prototype, 'list').mockImplementation(fail);
  aheadMs = 2_000;
  for (let n = 0; n < 3; n++) expect(await read()).toBe(1);
  reads.mockRestore();
  await expect.poll(read).toBe(0);
});
