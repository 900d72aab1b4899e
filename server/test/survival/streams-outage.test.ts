import { expect, it, onTestFinished, vi } from 'vitest';
import { Service } from '../../../torture/service.ts';
import { newStore } from '../../../torture/store.ts';
import { StreamReader } from '../operations/events/stream-reader.ts';
import { startPostgres } from '../support/servers.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const WAIT = { timeout: 60_000, interval: 20 };
/** What a stream says when it opens. */
const OPENING_RETRY_MS = 3_000;

async function createCategory(address: string, key: string, name: string): Promise<number> {
  const response = await fetch(`${address}/v1/categories`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  await response.text();
  return response.status;
}

it('streams stay while PostgreSQL is away, and then get everything; a poll meanwhile is 503', async () => {
  const postgres = await startPostgres();
  onTestFinished(postgres.stop);
  const store = await newStore({ PETSTORE_DATABASE_URL: postgres.url });
  onTestFinished(store.remove);
  const node = await Service.start(store);
  onTestFinished(async () => void (await node.end('SIGKILL')));
  const app = { address: `http://127.0.0.1:${node.port}`, key: store.apiKey };
  const create = async (name: string) => {
    // A 503 may have created it.
    const isCreated = async () =>
      [201, 409].includes(await createCategory(app.address, app.key, name));
    await expect.poll(isCreated, WAIT).toBe(true);
  };
  // A busy machine answers some of the first with 503.
  const opened = Array.from({ length: 20 }, () => vi.waitFor(() => StreamReader.open(app), WAIT));
  const streams = await Promise.all(opened);
  await create('before');
  for (const stream of streams) await stream.has(1);
  await postgres.kill('SIGQUIT');
  const poll = async () => {
    const headers = { authorization: `Bearer ${app.key}` };
    const response = await fetch(`${app.address}/v1/events`, { headers });
    await response.text();
    return response.status;
  };
  await expect.poll(poll, WAIT).toBe(503);
  expect(streams.every(({ isEnded }) => !isEnded)).toBe(true);
  await postgres.restart();
  await create('after');
  for (const stream of streams) {
    await stream.has(2);
    expect(stream.isEnded).toBe(false);
    const names = stream.events.map(({ data }) => (data.category as { name: string }).name);
    expect(names).toEqual(['before', 'after']);
    stream.close();
  }
});

it('SIGTERM ends 80 streams and 20 waiting polls with a time to come back, and the node exits 0', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const store = await newStore({}, { folder: folder.path });
  const service = await startService(folder.path);
  const keys = [store.apiKey];
  const { address } = service;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${store.apiKey}` };
  for (let more = 0; more < 4; more++) {
    const body = JSON.stringify({ name: `key ${more}`, scopes: ['read'] });
    const response = await fetch(`${address}/v1/keys`, { method: 'POST', headers, body });
    keys.push(((await response.json()) as { key: string }).key);
  }
  const streams = await Promise.all(
    Array.from({ length: 80 }, (_, at) => StreamReader.open({ address, key: keys[at % 4]! })),
  );
  const polls = Array.from({ length: 20 }, async () => {
    const response = await fetch(`${address}/v1/events?after=latest&wait=25`, { headers });
    return [response.status, await response.text()];
  });
  // A key may read the feed 60 times a minute, and the first has used up some of that.
  const probe = async () => {
    const response = await fetch(`${address}/v1/events/stream`, {
      headers: { authorization: `Bearer ${keys[4]}` },
    });
    if (!response.ok) return ((await response.json()) as { code: string }).code;
    return response.body?.cancel();
  };
  await expect.poll(probe, { ...WAIT, interval: 1_000 }).toBe('too_many_streams');
  service.process.kill('SIGTERM');
  for (const poll of await Promise.all(polls)) expect(poll).toEqual([200, '[]']);
  for (const stream of streams) {
    await stream.until(({ isEnded }) => isEnded);
    expect(stream.retryMs).toBeGreaterThanOrEqual(500);
    expect(stream.retryMs).toBeLessThanOrEqual(5_000);
  }
  expect(streams.some(({ retryMs }) => retryMs !== OPENING_RETRY_MS)).toBe(true);
  expect(await service.exited).toBe(0);
});
