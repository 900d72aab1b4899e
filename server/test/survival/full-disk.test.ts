import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { check } from '../../../torture/checks/checkers.ts';
import { settle } from '../../../torture/checks/settle.ts';
import { type Answer, Client } from '../../../torture/client.ts';
import { SmallDisk } from '../../../torture/faults/small-disk.ts';
import { History } from '../../../torture/history.ts';
import { Service } from '../../../torture/service.ts';
import { readState } from '../../../torture/state.ts';
import { newStore, type Store } from '../../../torture/store.ts';
import { placeOrder, Workload } from '../../../torture/workload.ts';
import { freePort } from '../support/free-port.ts';

const history = new History();
let disk: SmallDisk;
let store: Store;
let service: Service;
let client: Client;

/** Its log is on the small disk as well: a full one must not end the service either. */
async function start(): Promise<void> {
  const environment = { ...store.environment, PETSTORE_PORT: String(await freePort()) };
  const stdout = openSync(join(disk.folder, 'log'), 'a');
  service = await Service.start({ environment, stdout });
  client?.close();
  client = new Client(service.port, store.apiKey);
}

beforeAll(async () => {
  disk = new SmallDisk(16);
  store = await newStore({}, { folder: join(disk.folder, 'data') });
  await start();
  await new Workload(history, store.apiKey, () => service.port, 0).open();
});
afterAll(async () => {
  client?.close();
  await service?.end('SIGKILL');
  disk?.remove();
});

async function send(method: string, path: string, body?: unknown, key = client): Promise<Answer> {
  const reply = await key.send({ method, path, ...(body === undefined ? {} : { body }) });
  if (reply.kind !== 'answer') throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
  return reply;
}

async function order(): Promise<Answer | undefined> {
  const entry = history.begin(placeOrder(history.entries[0]!.id!, 1, false));
  let answer: Answer | undefined;
  await history.attempt(entry, async (request) => {
    const reply = await client.send(request);
    if (reply.kind === 'answer') answer = reply;
    return reply;
  });
  return answer;
}

/** Emptying its log gives the store some room again, until that is taken too. */
async function fillUntilRefused(): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    disk.fill();
    if ((await order())?.status === 503) return;
  }
  throw new Error('the disk is full and writes go on');
}

async function faultsFound(): Promise<string[]> {
  const state = await readState(client);
  const faults = check(history, state);
  settle(history, state);
  return faults;
}

async function limitedClient(): Promise<Client> {
  const body = { name: 'limited', plan: 'business' };
  const { key } = (await send('POST', '/v1/admin/workspaces', body)).body as {
    key: { key: string };
  };
  return new Client(service.port, key.key);
}

it('refuses writes with 503 while the disk is full, reads on, and writes again when it is not', async () => {
  const limited = await limitedClient();
  expect((await order())?.status).toBe(201);
  await fillUntilRefused();
  for (let count = 0; count < 30; count += 1) {
    const refused = (await order())!;
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: 'unavailable', status: 503 });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await send('GET', '/v1/store/orders')).status).toBe(200);
  }
  // Limits are written ahead; that they cannot be is no reason to refuse those who only read.
  for (let count = 0; count < 300; count += 1) {
    const read = await send('GET', '/v1/pets', undefined, limited);
    expect(read.status).toBe(200);
    expect(read.headers.get('x-ratelimit-limit')).toBe('1000');
  }
  expect((await send('GET', '/readyz')).status).toBe(200);
  expect(await faultsFound()).toEqual([]);

  disk.free();
  expect((await order())?.status).toBe(201);
  expect((await send('GET', '/v1/pets', undefined, limited)).status).toBe(200);
  expect(await faultsFound()).toEqual([]);
  limited.close();
});

it('goes on logging once there is room again', async () => {
  const log = () => readFileSync(join(disk.folder, 'log'), 'utf8');
  await vi.waitFor(() => expect(log()).toContain('"status":503'), { timeout: 30_000 });
});

it('has nothing of the refused writes after a crash', async () => {
  await service.end('SIGKILL');
  await start();
  expect(await faultsFound()).toEqual([]);
  expect((await order())?.status).toBe(201);
});
