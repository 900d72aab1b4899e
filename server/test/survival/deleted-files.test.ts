import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Finished, firstKeyOf, petstore, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
let file: string;
let service: Awaited<ReturnType<typeof startService>>;
beforeEach(async () => {
  const temporary = temporaryFolder();
  onTestFinished(temporary.remove);
  folder = join(temporary.path, 'data');
  file = join(folder, 'petstore.db');
  service = await startService(folder);
});

async function statusOf(path: string, body?: unknown): Promise<number> {
  const response = await fetch(`${service.address}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': firstKeyOf(service), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.status;
}

let categories = 0;
const write = () => statusOf('/v1/categories', { name: `category ${++categories}` });

function secondStart(): Promise<Finished> {
  return petstore(['serve'], { PETSTORE_DATA_DIR: folder, PETSTORE_PORT: '0' });
}

describe('a running service answers 503 and says why', () => {
  it.each([
    ['its database was deleted', () => rmSync(file)],
    ['its data folder was deleted', () => rmSync(folder, { recursive: true })],
    ['its log was deleted', () => rmSync(`${file}-wal`)],
    ['another file has taken the place of its database', () => renameSync(`${file}-shm`, file)],
  ])('to a write after %s, and then to reads', async (_, remove) => {
    expect(await write()).toBe(201);
    remove();
    expect(await write()).toBe(503);
    expect(await statusOf('/v1/categories')).toBe(503);
    expect(await statusOf('/readyz')).toBe(503);
    expect(await statusOf('/healthz')).toBe(200);
    service.process.kill('SIGINT');
    await service.exited;
    expect(service.output()).toContain('was deleted or replaced while the service was running');
  });

  it('to a health check after its database was deleted', async () => {
    expect(await statusOf('/readyz')).toBe(200);
    rmSync(file);
    await expect.poll(() => statusOf('/readyz')).toBe(503);
  });

  it('until the same file is back in its place, not a copy of it', async () => {
    expect(await write()).toBe(201);
    renameSync(file, `${file}.away`);
    expect(await write()).toBe(503);
    copyFileSync(`${file}.away`, file);
    expect(await write()).toBe(503);
    renameSync(`${file}.away`, file);
    expect(await write()).toBe(201);
    expect(await statusOf('/v1/categories')).toBe(200);
  });
});

it('a second service does not start although serving.lock was deleted', async () => {
  rmSync(join(folder, 'serving.lock'));
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { exitCode, stderr } = await secondStart();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`serving.lock is missing and another process has ${file} open`);
    expect(readdirSync(folder)).not.toContain('serving.lock');
  }
  expect(await write()).toBe(201);

  service.process.kill('SIGINT');
  expect(await service.exited).toBe(0);
  const next = await startService(folder);
  expect((await fetch(`${next.address}/readyz`)).status).toBe(200);
  expect(existsSync(join(folder, 'serving.lock'))).toBe(true);
});
