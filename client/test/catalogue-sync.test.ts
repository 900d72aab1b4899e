// Follows "A whole catalogue" of docs/pets.md, on a service that is killed while the script sends.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../server/test/support/free-port.ts';
import { firstKeyOf, type Service, startService } from '../../server/test/support/service.ts';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const PETS = 10_000;
const page = readFileSync(new URL('../../docs/pets.md', import.meta.url), 'utf8');
const [, script] = /```js\n(.*?)```/s.exec(page)!;
const client = new URL('../src/petstore.ts', import.meta.url).href;

it('a catalogue of 10,000 pets is sent twice, and kills in between lose and double nothing', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const port = String(await freePort());
  const start = () => startService(folder.path, { PETSTORE_PORT: port });
  let service: Service = await start();
  const key = firstKeyOf(service);
  const send = (method: string, path: string, body: unknown) =>
    fetch(`${service.address}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await send('PATCH', '/workspace', { plan: 'business' })).status).toBe(200);
  expect((await send('POST', '/categories', { name: 'Dogs' })).status).toBe(201);

  const db = new Database(join(folder.path, 'petstore.db'), { readonly: true });
  onTestFinished(() => void db.close());
  const count = (condition: string) =>
    db.prepare(`SELECT count(*) FROM pets WHERE ${condition}`).pluck().get() as number;

  writeFileSync(join(folder.path, 'sync.mjs'), script!.replace('@petstore/client', client));
  /** Sends all pets with names of this kind, and kills the service when this many have arrived. */
  const sync = async (kind: string, kills: readonly number[]) => {
    const rows = Array.from({ length: PETS }, (_, at) =>
      JSON.stringify({ name: `${kind} ${at}`, categoryId: 1, reference: `SKU-${at}` }),
    );
    writeFileSync(join(folder.path, 'catalogue.ndjson'), rows.join('\n'));
    const child = spawn(process.execPath, ['sync.mjs'], {
      cwd: folder.path,
      env: { ...process.env, PETSTORE_API_KEY: key, PETSTORE_BASE_URL: service.address },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const ended = once(child, 'close');
    for (const arrived of kills) {
      await expect
        .poll(() => count(`name LIKE '${kind} %'`), { interval: 1 })
        .toBeGreaterThanOrEqual(arrived);
      service.process.kill('SIGKILL');
      await service.exited;
      service = await start();
    }
    expect((await ended)[0]).toBe(0);
    return JSON.parse(output) as object;
  };

  const first = await sync('Pet', [1, 4_000]);
  expect(first).toEqual({ created: PETS, updated: 0, refused: 0 });
  const ids = db.prepare('SELECT id FROM pets ORDER BY id').pluck().all();
  const second = await sync('Animal', [1, 7_000]);
  expect(second).toEqual({ created: 0, updated: PETS, refused: 0 });
  expect(db.prepare('SELECT id FROM pets ORDER BY id').pluck().all()).toEqual(ids);
  expect(count("name LIKE 'Animal %'")).toBe(PETS);
  expect(db.prepare('SELECT count(DISTINCT reference) FROM pets').pluck().get()).toBe(PETS);
  expect(db.prepare('SELECT count(*) FROM movements').pluck().get()).toBe(PETS);
});
