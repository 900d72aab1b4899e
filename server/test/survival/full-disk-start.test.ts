import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SmallDisk } from '../../../torture/faults/small-disk.ts';
import { firstKeyOf, type Service, startService } from '../support/service.ts';
import { rawReceiver } from '../webhooks/receivers.ts';

let disk: SmallDisk;
let folder: string;
let key: string;
beforeEach(() => {
  disk = new SmallDisk(8);
  folder = join(disk.folder, 'data');
});
afterEach(() => disk.remove());

async function start(): Promise<Service> {
  return startService(folder, {
    PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
    PETSTORE_WEBHOOK_VERIFY: 'none',
  });
}

async function kill({ process, exited }: Service): Promise<void> {
  process.kill('SIGKILL');
  await exited;
}

async function send({ address }: Service, method: string, path: string, body?: unknown) {
  const response = await fetch(`${address}/v1${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Also empties the log, so that the next write needs room on the disk. */
function countLeases(): unknown {
  const db = new Database(join(folder, 'petstore.db'), { timeout: 10_000 });
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
    return db.prepare('SELECT count(*) FROM webhooks WHERE leased_until IS NOT NULL').pluck().get();
  } finally {
    db.close();
  }
}

it('starts on a full disk after a crash during a delivery, serves reads and refuses writes', async () => {
  const receiver = await rawReceiver(() => undefined);
  const crashed = await start();
  key = firstKeyOf(crashed);
  expect(await send(crashed, 'POST', '/webhooks', { url: receiver.url })).toBe(201);
  expect(await send(crashed, 'POST', '/categories', { name: 'Dogs' })).toBe(201);
  await expect.poll(() => receiver.connections, { timeout: 30_000 }).toBe(1);
  expect(countLeases()).toBe(1);
  await kill(crashed);
  disk.fill();

  const service = await start();
  expect(await send(service, 'GET', '/categories')).toBe(200);
  expect(await send(service, 'POST', '/categories', { name: 'Cats' })).toBe(503);
  disk.free();
  expect(await send(service, 'POST', '/categories', { name: 'Cats' })).toBe(201);
  await kill(service);
});
