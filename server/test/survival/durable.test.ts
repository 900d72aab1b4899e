import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOrInstall } from '../../../scripts/test-support/install-packages.ts';
import { Client } from '../../../torture/client.ts';
import { History } from '../../../torture/history.ts';
import { Service } from '../../../torture/service.ts';
import { newStore, type Store } from '../../../torture/store.ts';
import { placeOrder, Workload } from '../../../torture/workload.ts';

const history = new History();
let store: Store;
let service: Service;

beforeAll(async () => {
  store = await newStore();
  service = await Service.start(store);
  await new Workload(history, store.apiKey, () => service.port, 0).open();
});
afterAll(async () => {
  await service?.end('SIGINT');
  store?.remove();
});

/** The system calls of the thread that reads requests, writes the database and answers, in their order. */
async function traced(work: () => Promise<void>): Promise<string[]> {
  const strace = findOrInstall(['strace'], ['strace']);
  const folder = mkdtempSync(join(tmpdir(), 'petstore-trace-'));
  const file = join(folder, 'calls');
  const calls = 'trace=read,write,writev,pwrite64,sendto,sendmsg,fsync,fdatasync';
  const args = ['-y', '-s', '64', '-e', calls, '-o', file, '-p', `${service.pid}`];
  const tracer = spawn(strace, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const [said] = (await once(tracer.stderr, 'data')) as [Buffer];
  if (!said.includes('attached')) throw new Error(`strace cannot trace here: ${said}`);
  await work();
  tracer.kill('SIGINT');
  await once(tracer, 'exit');
  const lines = readFileSync(file, 'utf8').split('\n');
  rmSync(folder, { recursive: true });
  return lines;
}

interface Order {
  logWrites: number;
  isFlushed: boolean;
}

/** What happened to the log between a request that was read and its answer. */
function ordersIn(calls: readonly string[]): Order[] {
  const orders: Order[] = [];
  let logWrites = 0;
  let isFlushed = true;
  for (const call of calls) {
    if (/^read\(.*POST \/v1\/store\/orders/.test(call)) logWrites = 0;
    if (/^(pwrite64|write|writev)\(\d+<[^>]*petstore\.db-wal>/.test(call)) {
      logWrites += 1;
      isFlushed = false;
    }
    if (/^(fdatasync|fsync)\(\d+<[^>]*petstore\.db-wal>\)\s*= 0/.test(call)) isFlushed = true;
    if (/^(write|writev|sendto|sendmsg)\(.*HTTP\/1\.1 201/.test(call)) {
      orders.push({ logWrites, isFlushed });
    }
  }
  return orders;
}

async function order(client: Client): Promise<void> {
  const entry = history.begin(placeOrder(history.entries[0]!.id!, 1, false));
  await history.attempt(entry, (request) => client.send(request));
}

describe('an order is acknowledged only after its log is written and flushed', () => {
  it('one at a time', async () => {
    const client = new Client(service.port, store.apiKey);
    const calls = await traced(async () => {
      for (let count = 0; count < 20; count += 1) await order(client);
    });
    client.close();
    const orders = ordersIn(calls);
    expect(orders).toHaveLength(20);
    for (const { logWrites, isFlushed } of orders) {
      expect(logWrites).toBeGreaterThan(0);
      expect(isFlushed).toBe(true);
    }
  });

  it('many at once, which share a flush', async () => {
    const clients = Array.from({ length: 16 }, () => new Client(service.port, store.apiKey));
    const calls = await traced(async () => {
      await Promise.all(clients.map(order));
    });
    for (const client of clients) client.close();
    const orders = ordersIn(calls);
    expect(orders).toHaveLength(16);
    expect(orders.every(({ isFlushed }) => isFlushed)).toBe(true);
    expect(orders.some(({ logWrites }) => logWrites > 0)).toBe(true);
  });
});
