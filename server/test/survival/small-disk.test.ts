import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SmallDisk } from '../../../torture/faults/small-disk.ts';
import { repeats } from '../support/effort.ts';
import { firstKeyOf, petstore, type Service, startService } from '../support/service.ts';

const MEGABYTE = 1024 * 1024;
/** Several times as many as fill a log of a megabyte. */
const WRITES = repeats({ usual: 400, thorough: 1_500 });
let disk: SmallDisk;
let folder: string;
let services: Service[];
let key: string;
beforeEach(async () => {
  disk = new SmallDisk(8);
  folder = join(disk.folder, 'data');
  services = [];
});
afterEach(async () => {
  for (const { process, exited } of services) {
    process.kill('SIGKILL');
    await exited;
  }
  disk.remove();
});

async function start(): Promise<Service> {
  const service = await startService(folder, { PETSTORE_LOG_LEVEL: 'info' });
  services.push(service);
  return service;
}

/** The command line takes no part in the limits of plan Free. */
async function unlimited(service: Service): Promise<void> {
  key = firstKeyOf(service);
  const limits = ['--per-minute', '1000000', '--per-day', '1000000'];
  const update = ['server', 'workspaces', 'update', '1', '--plan', 'enterprise', ...limits];
  const { exitCode, stderr } = await petstore(update, { PETSTORE_DATA_DIR: folder });
  expect(exitCode, stderr).toBe(0);
}

async function send({ address }: Service, method: string, path: string, body: unknown) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(`${address}${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

const logBytes = () => statSync(join(folder, 'petstore.db-wal')).size;

it('keeps its log small on a small disk, and empties it at the next start', async () => {
  const first = await start();
  await unlimited(first);
  expect(await send(first, 'POST', '/v1/categories', { name: 'Dogs' })).toBe(201);
  for (let count = 0; count < WRITES; count += 1) {
    const description = `${count} `.repeat(300);
    expect(await send(first, 'PATCH', '/v1/categories/1', { description })).toBe(200);
    expect(logBytes()).toBeLessThan(MEGABYTE);
  }
  first.process.kill('SIGKILL');
  await first.exited;
  expect(logBytes()).toBeGreaterThan(0);

  await start();
  expect(logBytes()).toBeLessThan(MEGABYTE / 16);
});

it('writes on to a full disk as long as its log can be emptied into the database', async () => {
  const service = await start();
  await unlimited(service);
  expect(await send(service, 'POST', '/v1/categories', { name: 'Dogs' })).toBe(201);
  // So few that the log was not emptied yet, and that the database has room for what it holds.
  for (let count = 0; count < 2; count += 1) {
    expect(await send(service, 'PATCH', '/v1/categories/1', { name: `Dogs ${count}` })).toBe(200);
  }
  disk.fill();
  // The database grows with every write, into the room that the log has left.
  for (let count = 0; count < 5; count += 1) {
    expect(await send(service, 'PATCH', '/v1/categories/1', { name: `Cats ${count}` })).toBe(200);
  }
});

it.each([
  ['a read-only disk', () => mount('-o', 'remount,ro', disk.folder)],
  [
    'a read-only database',
    () => {
      const file = join(folder, 'petstore.db');
      mount('--bind', file, file);
      mount('-o', 'remount,bind,ro', file);
    },
  ],
])('refuses to start on %s', async (_, makeReadOnly) => {
  const service = await start();
  service.process.kill('SIGINT');
  await service.exited;
  makeReadOnly();
  const settings = { PETSTORE_DATA_DIR: folder, PETSTORE_PORT: '0' };
  const { exitCode, stdout, stderr } = await petstore(['serve'], settings);
  expect(exitCode).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^petstore: [^\n]* cannot be used: [^\n]*\n$/);
  expect(stderr).toContain(folder);
});

function mount(...args: string[]): void {
  execFileSync('mount', args);
}
